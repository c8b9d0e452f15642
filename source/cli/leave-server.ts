// Ends a server in this process without cutting off other clients.
import { startBackgroundServer } from "../application/background-server.ts";
import type { HostedServer } from "../application/server-host.ts";
import { formatRoughDuration } from "../base/formats.ts";
import { ApiClient, ownAgent } from "../client/api-client.ts";
import { addressText } from "../configuration/address.ts";
import { entryFile } from "./connect.ts";
import type { ServerLink } from "./server-link.ts";

/** Clients that sent a request within this time may send another. */
const recentMs = 10 * 60_000;

type UsedServer = Pick<HostedServer, "watchers"> & {
  requestLog: Pick<HostedServer["requestLog"], "records">;
};

/**
 * Describes other users of the server: clients with recent requests, and terminals with a modelctl
 * screen.
 *
 * @param nowMs since 1970
 * @returns undefined without other users
 */
export function otherUsers(
  { requestLog, watchers }: UsedServer,
  nowMs: number,
): string | undefined {
  const others = requestLog.records.filter(
    ({ client, model }) => client.agent !== ownAgent && model !== undefined,
  );
  const running = others.filter(({ state }) => state === "running").length;
  if (running > 0)
    return `Other clients have ${running} running ${running === 1 ? "request" : "requests"}.`;
  const terminals = watchers() - 1;
  if (terminals === 1) return "Another terminal uses this server.";
  if (terminals > 1) return `${terminals} other terminals use this server.`;
  const last = others.at(-1);
  if (last === undefined || nowMs - last.startedAt > recentMs) return undefined;
  const ago = formatRoughDuration(nowMs - last.startedAt).toLowerCase();
  return `Another client used the server ${ago} ago.`;
}

/**
 * Ends the server like `leaveServer`, and starts one in the background on the same address.
 *
 * @throws ProductError `CLIENT_SERVER_UNREACHABLE` if that does not start
 */
export async function handOverServer(
  link: ServerLink,
  model: string,
  limitMs: number,
): Promise<void> {
  const { settings } = link;
  const { url } = link.client.connection;
  const { hostname, port } = new URL(url);
  const host = settings.address?.host ?? hostname.replace(/^\[|\]$/g, "");
  const { require_key: requireKey, origins, insecure_no_key: isOpen } = settings.values;
  await leaveServer(link, limitMs);
  await startBackgroundServer(
    {
      entry: entryFile,
      stateFolder: settings.paths.state,
      flags: [...withoutAddress(settings.serverFlags), "--preload", model],
      // May have been changed on the Server screen.
      environment: {
        MODELCTL_HOST: addressText({ scheme: "http", host, port: Number(port), path: "" }),
        MODELCTL_REQUIRE_KEY: String(requireKey),
        MODELCTL_ORIGINS: origins.join(","),
        MODELCTL_INSECURE_NO_KEY: String(isOpen),
      },
    },
    async () => {
      const isThere = (await new ApiClient({ url }).identify()) === "modelctl";
      return isThere || undefined;
    },
  );
  process.stderr.write(`The server keeps running at ${url} until it is idle.\n`);
}

/**
 * Closes a server in this process once the requests of other clients have ended; Ctrl+C ends the wait.
 *
 * @param limitMs Infinity: no limit
 */
export async function leaveServer(
  link: Pick<ServerLink, "hosted" | "isHosting" | "close">,
  limitMs: number,
): Promise<void> {
  if (link.isHosting && link.hosted !== undefined) await letOthersFinish(link.hosted, limitMs);
  await link.close();
}

async function letOthersFinish(hosted: HostedServer, limitMs: number): Promise<void> {
  const count = hosted.requestLog.running.length;
  if (count > 0) {
    const requests = count === 1 ? "request" : "requests";
    process.stderr.write(
      `Waiting for ${count} ${requests} of other clients; press Ctrl+C to cancel.\n`,
    );
  }
  const interrupted = Promise.withResolvers<void>();
  process.once("SIGINT", interrupted.resolve);
  // Stops listening first, so that no client comes meanwhile.
  await Promise.race([hosted.drain(limitMs), interrupted.promise]);
  process.off("SIGINT", interrupted.resolve);
}

/** Removes the flags for the address, with their values. */
function withoutAddress(flags: readonly string[]): string[] {
  const isAddress = (word: string | undefined) => word === "--host" || word === "--port";
  return flags.filter((word, index) => !isAddress(word) && !isAddress(flags[index - 1]));
}
