// Connects a command to a server: a running one, or one that is started for it.
import {
  backgroundLogFile,
  startBackgroundServer,
} from "../application/local-server/background-server.ts";
import type { HostedServer } from "../application/local-server/server-host.ts";
import { ApiClient } from "../client/api-client.ts";
import { defaultHost, type ServerAddress } from "../configuration/address.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { findRunningServer, refuseToStart } from "./running-server.ts";
import type { CommandSettings } from "./session-settings.ts";

export interface Connection {
  client: ApiClient;
  /** The server in this process, if there is one. */
  hosted: HostedServer | undefined;
  /** True for a server that was running before: this command's settings do not apply to it. */
  isForeign: boolean;
}

const anyPort: ServerAddress = { host: defaultHost, port: 0, scheme: "http", path: "" };

/** The program's entry file, for starting a server. */
export const entryFile = process.argv[1] ?? "";

/**
 * - `shared`: a running server, else one in the background that outlives this command
 * - `hosted`: a running server, else one in this process that others can use, too
 * - `private`: a server in this process, hidden from others
 */
export type Hosting = "shared" | "hosted" | "private";

/**
 * @param preload model that a server loads when it is started, if any
 * @param signal aborts the wait for a server in the background
 * @throws ProductError `CLIENT_SERVER_UNREACHABLE` and those of `hostServer`; the signal's reason
 */
export async function connect(
  flags: Flags,
  settings: CommandSettings,
  hosting: Hosting,
  preload: string | undefined,
  signal?: AbortSignal,
): Promise<Connection> {
  if (hosting === "private") return await host(settings, undefined, anyPort, preload);
  if (settings.address?.port === 0) {
    throw usageError(
      "Port 0 is not a server's port.",
      "Only serve accepts port 0, for any free port.",
    );
  }
  const find = () => findRunningServer(flags, settings);
  const found = await find();
  if (found !== undefined) return { client: found, hosted: undefined, isForeign: true };
  refuseToStart(flags, settings);
  if (hosting === "shared") {
    if (settings.address !== undefined) {
      const { refuseTakenAddress } = await import("../application/local-server/server-host.ts");
      await refuseTakenAddress(settings.address);
    }
    const client = await startBackgroundServer(
      {
        entry: entryFile,
        stateFolder: settings.paths.state,
        flags: [...settings.serverFlags, ...(preload === undefined ? [] : ["--preload", preload])],
        ...(signal !== undefined && { signal }),
      },
      find,
    );
    return { client, hosted: undefined, isForeign: false };
  }
  try {
    return await hostInProcess(settings, preload);
  } catch (error) {
    // Another command may have been faster: use its server.
    const other = await find();
    if (other === undefined) throw error;
    return { client: other, hosted: undefined, isForeign: true };
  }
}

/**
 * Hosts a server in this process that others can use, too, even if another one runs.
 *
 * @param morePorts number of ports after the address's own that may be used instead
 * @throws ProductError of `hostServer`
 */
export async function hostInProcess(
  settings: CommandSettings,
  preload: string | undefined,
  morePorts = 0,
): Promise<Connection> {
  return await host(settings, settings.paths.state, settings.address, preload, morePorts);
}

async function host(
  settings: CommandSettings,
  stateFolder: string | undefined,
  address: ServerAddress | undefined,
  preload: string | undefined,
  morePorts = 0,
): Promise<Connection> {
  const { hostServer } = await import("../application/local-server/server-host.ts");
  const { keepServing } = await import("../application/keep-serving.ts");
  const { openLogFile, openLogIfPossible } = await import(
    "../application/local-server/server-log.ts"
  );
  const logFile = backgroundLogFile(settings.paths.state);
  // A private server needs the state folder only for its log, and can do without.
  const log = stateFolder === undefined ? openLogIfPossible(logFile) : openLogFile(logFile);
  const hosted = await hostServer({
    settings: settings.values,
    stateFolder,
    address,
    morePorts,
    log,
    ...(preload !== undefined && { preload }),
  });
  const client = new ApiClient(hosted.connection);
  if (stateFolder === undefined) return { client, hosted, isForeign: false };
  const stopKeeping = keepServing(log, logFile);
  const close = async () => {
    await hosted.close();
    stopKeeping();
  };
  return { client, hosted: { ...hosted, close }, isForeign: false };
}
