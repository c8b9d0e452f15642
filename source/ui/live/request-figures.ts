// Figures of the last minute of the request log: requests, errors, time to the first token.

import { prefillRate } from "../../client/chat-events.ts";
import type { RequestRecord } from "../../request-log/request-record.ts";

export interface RequestFigures {
  /** Values for each second, oldest first, without the current second. */
  readonly requestsPerSecond: readonly number[];
  readonly errorsPerSecond: readonly number[];
  /** Share of the ended requests that failed. Like the next figures, undefined without any request. */
  readonly errorShare: number | undefined;
  readonly ttftMedianMs: number | undefined;
  readonly ttft95Ms: number | undefined;
  /** Share of prompt tokens that came from a cache. */
  readonly cachedShare: number | undefined;
  /** Measured on prompts that were long enough. */
  readonly promptTokensPerSecond: number | undefined;
}

const windowSeconds = 60;
/** Limits the work per second: figures cover at most this many requests. */
const lookedAtMaximum = 2000;

/**
 * @param entries oldest first
 * @param now milliseconds since 1970
 */
export function requestFigures(entries: readonly RequestRecord[], now: number): RequestFigures {
  const requestsPerSecond = new Array<number>(windowSeconds).fill(0);
  const errorsPerSecond = new Array<number>(windowSeconds).fill(0);
  const firstTokens: number[] = [];
  let ended = 0;
  let failed = 0;
  let promptTokens = 0;
  let cachedTokens = 0;
  let computedTokens = 0;
  let promptMs = 0;
  for (const view of entries.slice(-lookedAtMaximum)) {
    count(requestsPerSecond, view.startedAt, now);
    const endedAt = view.startedAt + (view.totalMs ?? 0);
    if (view.state === "running" || now - endedAt > windowSeconds * 1000) continue;
    ended += 1;
    if (isFailure(view)) {
      failed += 1;
      count(errorsPerSecond, endedAt, now);
    }
    if (view.firstTokenMs !== undefined) firstTokens.push(view.firstTokenMs);
    promptTokens += view.promptTokens ?? 0;
    cachedTokens += view.cachedTokens ?? 0;
    if (view.promptMs !== undefined && prefillRate(view) !== undefined) {
      computedTokens += (view.promptTokens ?? 0) - (view.cachedTokens ?? 0);
      promptMs += view.promptMs;
    }
  }
  firstTokens.sort((a, b) => a - b);
  return {
    requestsPerSecond,
    errorsPerSecond,
    errorShare: ended > 0 ? failed / ended : undefined,
    ttftMedianMs: quantile(firstTokens, 0.5),
    ttft95Ms: quantile(firstTokens, 0.95),
    cachedShare: promptTokens > 0 ? cachedTokens / promptTokens : undefined,
    promptTokensPerSecond: promptMs > 0 ? (computedTokens * 1000) / promptMs : undefined,
  };
}

/** A cancelled request is not a failure of the server. */
export function isFailure({ state, status, error }: RequestRecord): boolean {
  if (state === "cancelled") return false;
  return (status !== undefined && status >= 400) || (!status && error !== undefined);
}

function count(seconds: number[], at: number, now: number): void {
  const ago = Math.floor(now / 1000) - Math.floor(at / 1000);
  const index = windowSeconds - ago;
  if (index >= 0 && index < windowSeconds) seconds[index] = (seconds[index] ?? 0) + 1;
}

/** @param sorted smallest first */
function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
