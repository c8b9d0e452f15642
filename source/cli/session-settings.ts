// Settings of a modelctl command: from flags, environment and file.
import { parseAddress, type ServerAddress, urlOf } from "../configuration/address.ts";
import { type LoadedSettings, loadSettings } from "../configuration/load-settings.ts";
import { type ProductPaths, productPaths } from "../configuration/paths.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";

export interface CommandSettings extends LoadedSettings {
  paths: ProductPaths;
  /** Address from --host, --port, MODELCTL_HOST or the file. */
  address: ServerAddress | undefined;
  /** Flags to pass to a background server. */
  serverFlags: string[];
}

/** @throws ProductError of `loadSettings`, or `COMMAND_USAGE` */
export function readSettings(flags: Flags): CommandSettings {
  const paths = productPaths();
  const { gpu, numParallel, contextLength, debug, host, port, insecureNoKey, logFormat } = flags;
  const { theme, tls, tlsCert, tlsKey } = flags;
  const typed = {
    ...(gpu !== undefined && { gpu }),
    ...(numParallel !== undefined && { num_parallel: String(numParallel) }),
    ...(contextLength !== undefined && { context_length: String(contextLength) }),
    ...(debug && { debug: "true" }),
    ...(host !== undefined && { host }),
    ...(insecureNoKey && { insecure_no_key: "true" }),
    ...(logFormat !== undefined && { log_format: logFormat }),
    ...(theme !== undefined && { theme }),
    ...(tls !== undefined && { tls }),
    ...(tlsCert !== undefined && { tls_cert: tlsCert }),
    ...(tlsKey !== undefined && { tls_key: tlsKey }),
  };
  const loaded = loadSettings({
    flags: typed,
    environment: process.env,
    file: paths.configurationFile,
  });
  for (const warning of loaded.warnings) process.stderr.write(`${warning}\n`);
  const address = withPort(loaded.values.host, port);
  const serverFlags = Object.entries({
    ...typed,
    ...(port !== undefined && { port: String(port) }),
  })
    .filter(([name]) => !["debug", "insecure_no_key", "theme"].includes(name))
    .flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, value]);
  return {
    ...loaded,
    paths,
    address,
    serverFlags: debug ? [...serverFlags, "--debug"] : serverFlags,
  };
}

function withPort(
  address: ServerAddress | undefined,
  port: number | undefined,
): ServerAddress | undefined {
  if (port === undefined) return address;
  return { host: "127.0.0.1", scheme: "http", path: "", ...address, port };
}

/** Returns the URL of --connect. @throws ProductError `COMMAND_USAGE` */
export function connectUrl(flags: Flags): string | undefined {
  if (flags.connect === undefined) return undefined;
  const address = parseAddress(flags.connect);
  if (address === undefined) {
    throw usageError(`--connect ${flags.connect} is not an address.`, "Use http://host:port.");
  }
  return urlOf(address);
}
