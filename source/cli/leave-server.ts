// The end of a chat whose process hosts the server: requests of other clients are not cut off with it.
import type { HostedServer } from "../application/server-host.ts";
import type { ServerLink } from "./server-link.ts";

/**
 * Lets the requests of other clients end, where this process hosts the server, and closes it. Ctrl+C
 * ends the waiting.
 *
 * @param limitMs Infinity waits for good
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
    process.stderr.write(`Finishing ${count} ${requests} of other clients; Ctrl+C ends them.\n`);
  }
  const interrupted = Promise.withResolvers<void>();
  process.once("SIGINT", interrupted.resolve);
  // It stops listening first: no new client comes while the last ones are waited for.
  await Promise.race([hosted.drain(limitMs), interrupted.promise]);
  process.off("SIGINT", interrupted.resolve);
}
