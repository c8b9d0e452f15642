// Reads the settings of a server to start: addresses, encryption, ports.
import { hostname } from "node:os";
import type { CloudHostOptions } from "../../application/cloud-host/cloud-host.ts";
import { TrustedProxies, tlsFolder } from "../../application/cloud-host/cloud-server.ts";
import type { GatewayProcessOptions } from "../../application/cloud-host/gateway-process.ts";
import { parseTimeSpan } from "../../base/duration.ts";
import { isLoopback, machineAddress } from "../../configuration/address.ts";
import { parseByteSize } from "../../configuration/setting-readers.ts";
import { usageError } from "../errors.ts";
import { parseWebUrl } from "./read-values.ts";
import { type Session, settingOf } from "./session.ts";

type Listener = GatewayProcessOptions["listeners"][number];
type Encryption = Listener["encryption"];

interface Address {
  host: string;
  port: number | undefined;
}

/** Settings of the control plane and of the gateway. */
export type ServerSettings = Omit<CloudHostOptions, "log"> &
  Omit<GatewayProcessOptions, "log" | "onListening">;

/** SQLite's limit for a value is 1 GB. */
const largestBodyBytes = 512 * 2 ** 20;
const longestExpiryMs = 365 * 86_400_000;
const usualHost = "127.0.0.1";
const usualPort = 8480;
const usualEncryptedPort = 8443;
const usualAdminPort = 8481;
const usualOrganisation = "local";

/** @throws ProductError `COMMAND_USAGE`, `CLOUD_REQUEST_INVALID` */
export function readServer(session: Session): ServerSettings {
  const address = readAddress("--listen", settingOf(session, "listen") ?? usualHost);
  const encryption = readEncryption(session, address.host);
  const isPlain = encryption.kind === "none";
  const listener = {
    host: address.host,
    port: address.port ?? (isPlain ? usualPort : usualEncryptedPort),
    encryption,
    allowsPlainHttp: session.flags.insecureHttp === true,
  };
  return {
    stateFolder: session.stateFolder,
    organisation: settingOf(session, "org") ?? usualOrganisation,
    listeners: [listener],
    adminListeners: readAdminListeners(session, listener),
    baseUrl: readBaseUrl(settingOf(session, "base-url")),
    trustedProxies: readProxies(settingOf(session, "behind-proxy")),
    portRange: readPortRange(settingOf(session, "port-range")),
    allowsRemoteShell: readSwitch("--remote-shell", settingOf(session, "remote-shell") ?? "off"),
    queueLimits: readQueueLimits(session),
  };
}

function readQueueLimits(session: Session): CloudHostOptions["queueLimits"] {
  const requestBytes = readSize(session, "queue-request-size");
  const resultBytes = readSize(session, "queue-result-size");
  const totalBytes = readSize(session, "queue-storage");
  const expiryMs = readExpiry(settingOf(session, "queue-expiry"));
  const blocks = (settingOf(session, "webhook-networks") ?? "").split(",");
  const webhookNetworks = blocks.filter((block) => block !== "");
  // Names a block that is none.
  new TrustedProxies(webhookNetworks);
  return {
    ...(requestBytes !== undefined && { requestBytes }),
    ...(resultBytes !== undefined && { resultBytes }),
    ...(totalBytes !== undefined && { totalBytes }),
    ...(expiryMs !== undefined && { expiryMs }),
    webhookNetworks,
  };
}

function readSize(
  session: Session,
  name: "queue-request-size" | "queue-result-size" | "queue-storage",
): number | undefined {
  const text = settingOf(session, name);
  if (text === undefined) return undefined;
  const bytes = parseByteSize(text);
  const most = name === "queue-storage" ? Number.MAX_SAFE_INTEGER : largestBodyBytes;
  if (bytes !== undefined && bytes > 0 && bytes <= most) return bytes;
  const hint = `Use one such as 16MiB${name === "queue-storage" ? "" : ", at most 512MiB"}.`;
  throw usageError(`--${name} ${text} is not a valid size.`, hint);
}

function readExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const expiryMs = parseTimeSpan(text);
  if (expiryMs !== undefined && expiryMs >= 1000 && expiryMs <= longestExpiryMs) return expiryMs;
  throw usageError(
    `--queue-expiry ${text} is not a valid time.`,
    "Use one from 1s to 365d, such as 24h.",
  );
}

function readAdminListeners(session: Session, gateway: Listener): Listener[] {
  const text = settingOf(session, "admin-listen");
  if (text === undefined) return [];
  const { host, port = usualAdminPort } = readAddress("--admin-listen", text);
  const encryption =
    gateway.encryption.kind === "none" ? readEncryption(session, host) : gateway.encryption;
  return [{ ...gateway, host, port, encryption }];
}

/** Encryption is required beyond this machine, by default with the server's own authority. */
function readEncryption(session: Session, host: string): Encryption {
  const mode = settingOf(session, "tls");
  const certificateFile = settingOf(session, "tls-cert");
  const keyFile = settingOf(session, "tls-key");
  if (mode !== undefined && mode !== "self-signed") {
    throw usageError(`--tls ${mode} is not supported.`, "Use self-signed, or --tls-cert.");
  }
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw usageError("--tls-cert and --tls-key must be used together.", "Give both files.");
  }
  if (certificateFile !== undefined && keyFile !== undefined) {
    if (mode !== undefined)
      throw usageError("--tls and --tls-cert cannot be used together.", "Use one.");
    return { kind: "files", certificateFile, keyFile };
  }
  const isNeeded = !isLoopback(host) && session.flags.insecureHttp !== true;
  if (mode === undefined && !isNeeded) return { kind: "none" };
  const baseUrl = readBaseUrl(settingOf(session, "base-url"));
  const names = [hostname(), host];
  if (baseUrl !== undefined) names.push(new URL(baseUrl).hostname.replace(/^\[|\]$/g, ""));
  const outside = machineAddress();
  if (outside !== undefined) names.push(outside);
  const reached = names.filter((name) => name !== "0.0.0.0" && name !== "::");
  return { kind: "self-signed", folder: tlsFolder(session.stateFolder), names: reached };
}

/** Reads `HOST`, `HOST:PORT`, `:PORT` or `[::1]:PORT`. */
function readAddress(flag: string, text: string): Address {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]/\s]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || (port ?? 0) > 65_535 || (host === "" && port === undefined)) {
    throw usageError(`${flag} ${text} is not an address.`, "Use one such as 127.0.0.1:8480.");
  }
  return { host: host === "" ? usualHost : host, port };
}

function readBaseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = parseWebUrl(text);
  if (url !== undefined) return url.href.replace(/\/+$/, "");
  throw usageError(
    `--base-url ${text} is not an address.`,
    "Use one such as https://models.example.org.",
  );
}

/** Reads addresses and CIDR blocks, with commas between. */
function readProxies(text = ""): TrustedProxies {
  return new TrustedProxies(text.split(",").filter((block) => block !== ""));
}

function readSwitch(flag: string, text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw usageError(`${flag} ${text} is neither on nor off.`, `Use ${flag} on, or ${flag} off.`);
}

function readPortRange(text: string | undefined): CloudHostOptions["portRange"] {
  if (text === undefined) return undefined;
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (range.first >= 1024 && range.last <= 65_535 && range.first <= range.last) return range;
  throw usageError(`--port-range ${text} is not a port range.`, "Use one such as 20000-29999.");
}
