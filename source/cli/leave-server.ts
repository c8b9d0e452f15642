// Leaves a server in this process without cutting off other clients.
import { backgroundLogFile } from "../application/local-server/background-server.ts";
import type { HostedServer } from "../application/local-server/server-host.ts";
import { formatRoughDuration } from "../base/formats.ts";
import { ownAgent } from "../client/api-client.ts";
import { leaveForeground } from "./foreground.ts";
import { endServer, firstSignal, untilIdle } from "./server-life.ts";
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
 * Gives the terminal back to the shell, and serves on without the screen until the server is idle or this
 * process is told to end.
 *
 * @param code exit code that the shell gets
 */
export async function keepServer(link: ServerLink, code: number, limitMs: number): Promise<void> {
  const { hosted, settings } = link;
  if (hosted === undefined) throw new Error("Another process hosts this server");
  process.stderr.write(`The server keeps running at ${hosted.url} until it is idle.\n`);
  // A closing terminal sends it to all its processes.
  process.on("SIGHUP", () => {});
  await leaveForeground(code, backgroundLogFile(settings.paths.state));
  hosted.log("the screen has closed; serving until idle");
  await Promise.race([firstSignal(["SIGINT", "SIGTERM"]), untilIdle(hosted)]);
  await endServer(hosted, limitMs);
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
