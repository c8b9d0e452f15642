// Finds the running server.
import { ProductError } from "../base/product-error.ts";
import { ApiClient } from "../client/api-client.ts";
import { clientErrors } from "../client/errors.ts";
import { findServer } from "../client/server-file.ts";
import { defaultHost, defaultPort, isLoopback, urlOf } from "../configuration/address.ts";
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

/**
 * Like `findRunningServer`, but throws for a missing server that would not be started here.
 *
 * @throws ProductError `CLIENT_SERVER_UNREACHABLE`
 */
export async function findNamedServer(
  flags: Flags,
  settings: CommandSettings,
): Promise<ApiClient | undefined> {
  const found = await findRunningServer(flags, settings);
  if (found === undefined) refuseToStart(flags, settings);
  return found;
}

/**
 * Refuses to start a server that was named by URL, or that is on another machine.
 *
 * @throws ProductError `CLIENT_SERVER_UNREACHABLE`
 */
export function refuseToStart(flags: Flags, settings: CommandSettings): void {
  const url = connectUrl(flags);
  const { address } = settings;
  const isElsewhere =
    address !== undefined && !isLoopback(address.host) && !["0.0.0.0", "::"].includes(address.host);
  if (url === undefined && !isElsewhere) return;
  throw new ProductError(clientErrors.unreachable, {
    message: `No modelctl server answers at ${url ?? (address && urlOf(address))}.`,
    hint: "Start one there with: modelctl serve. Or check the address.",
  });
}
