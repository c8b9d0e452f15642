// The server that runs already, for commands that would not start one.
import { ApiClient } from "../client/api-client.ts";
import { findServer } from "../client/find-server.ts";
import { defaultHost, defaultPort, urlOf } from "../configuration/address.ts";
import type { Flags } from "./flags.ts";
import { type CommandSettings, connectUrl } from "./session-settings.ts";

const usual = urlOf({ host: defaultHost, port: defaultPort, scheme: "http", path: "" });

export async function findRunningServer(
  flags: Flags,
  settings: CommandSettings,
): Promise<ApiClient | undefined> {
  const found = await findServer({
    stateFolder: settings.paths.state,
    named: connectUrl(flags) ?? (settings.address && urlOf(settings.address)),
    usual,
    key: flags.key,
  });
  return found === undefined ? undefined : new ApiClient(found);
}
