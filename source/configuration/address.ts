// Address of a server: `serve` listens on it, other commands connect to it.

import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

export const defaultHost = "127.0.0.1";
export const defaultPort = 11434;
/** Last port to try when the default one is in use. */
export const lastFallbackPort = 11444;

export interface ServerAddress {
  host: string;
  port: number;
  /** `https` for servers with a certificate, and for those behind a proxy. */
  scheme: "http" | "https";
  /** Path of the API, without a trailing slash. */
  path: string;
}

/**
 * Reads `host`, `host:port`, `:port`, `[::1]:port` or a URL. A URL without a port means 80 or 443.
 *
 * @returns undefined for other texts
 */
export function parseAddress(text: string): ServerAddress | undefined {
  const value = text.trim().replace(/^(["'])(.*)\1$/, "$2");
  const match = /^(?:(https?):\/\/)?([^/]*)(\/.*)?$/i.exec(value);
  if (match === null) return undefined;
  const scheme = match[1]?.toLowerCase() === "https" ? "https" : "http";
  const authority = match[2] ?? "";
  const parts = /^(\[[0-9A-Fa-f:.%]+\]|[^:\s]*)(?::(\d+))?$/.exec(authority);
  // A bare IPv6 address has no room for a port.
  const host = parts?.[1] ?? (isIPv6(authority) ? authority : undefined);
  if (host === undefined) return undefined;
  const implied = match[1] === undefined ? defaultPort : scheme === "https" ? 443 : 80;
  const port = parts?.[2] === undefined ? implied : Number(parts[2]);
  if (port > 65_535) return undefined;
  return {
    host: host.replace(/^\[|\]$/g, "") || defaultHost,
    port,
    scheme,
    path: (match[3] ?? "").replace(/\/+$/, ""),
  };
}

/** Returns the URL of a bound address; one for all interfaces is reached on loopback. */
export function urlOf(address: ServerAddress): string {
  const everywhere: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  return addressText({ ...address, host: everywhere[address.host] ?? address.host });
}

/** Returns the address as given, even one for all interfaces. */
export function addressText({ scheme, host, port, path }: ServerAddress): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${scheme}://${name}:${port}${path}`;
}

/**
 * Returns the URL of a bound address for other machines; one for all interfaces is reached at the
 * machine's own address.
 */
export function outsideUrlOf(address: ServerAddress): string {
  const isEverywhere = address.host === "0.0.0.0" || address.host === "::";
  return urlOf({ ...address, host: (isEverywhere && machineAddress()) || address.host });
}

/** Returns this machine's first outside address; undefined without a network. */
export function machineAddress(): string | undefined {
  return machineAddresses()[0];
}

/** Returns this machine's outside addresses, IPv4 before IPv6. */
export function machineAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list = []) => list);
  const outside = all.filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0);
  return outside
    .toSorted((one, other) => one.family.localeCompare(other.family))
    .map(({ address }) => address);
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
