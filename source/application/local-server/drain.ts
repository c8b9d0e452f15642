// Waits for running requests before the server stops.
import { formatMilliseconds } from "../../base/formats.ts";
import { formatRequestLine } from "../../client/requests.ts";
import type { RequestLog } from "../../request-log/request-log.ts";

/** Maximum delay of setTimeout. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Resolves when no request runs, or after the limit; the caller cancels the rest.
 *
 * @param limitMs Infinity: no limit
 * @param log receives progress
 */
export async function drainRequests(
  requestLog: RequestLog,
  limitMs: number,
  log: (text: string) => void,
): Promise<void> {
  const { running } = requestLog;
  if (running.length === 0) return;
  const limit = limitMs === Number.POSITIVE_INFINITY ? "" : ` up to ${formatMilliseconds(limitMs)}`;
  log(`stopping: waiting${limit} for ${count(running.length)} to end`);
  for (const record of running) log(`  ${formatRequestLine(record)}`);
  await untilRequestsEnd(requestLog, limitMs);
  const left = requestLog.running.length;
  log(left === 0 ? "all requests have ended" : `timed out: cancelling ${count(left)}`);
}

/** Resolves when no request runs, or after the limit. */
export async function untilRequestsEnd(requestLog: RequestLog, limitMs: number): Promise<void> {
  if (requestLog.running.length === 0) return;
  const ended = Promise.withResolvers<void>();
  const timer = setTimeout(ended.resolve, Math.min(limitMs, longestTimerMs));
  const leave = requestLog.follow(({ state }) => {
    if (state !== "running" && requestLog.running.length === 0) ended.resolve();
  });
  await ended.promise;
  leave();
  clearTimeout(timer);
}

function count(requests: number): string {
  return requests === 1 ? "one request" : `${requests} requests`;
}
