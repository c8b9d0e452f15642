// The request log's running requests as the metrics want them.
import type { RequestsSample } from "../metrics/machine-monitor.ts";
import type { RequestLog } from "../request-log/request-log.ts";

export function requestsSample(
  { running }: Pick<RequestLog, "running">,
  now: number,
  areRecorded: boolean,
): RequestsSample {
  let longestWaitMs = 0;
  let contextTokens = 0;
  for (const { startedAt, model, promptTokens, completionTokens } of running) {
    // A request that asks no model waits for nothing.
    if (promptTokens === undefined && model !== undefined) {
      longestWaitMs = Math.max(longestWaitMs, now - startedAt);
    }
    contextTokens += (promptTokens ?? 0) + (completionTokens ?? 0);
  }
  return { longestWaitMs, contextTokens, areRecorded };
}
