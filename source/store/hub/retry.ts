// Retries with growing waits.
import { setTimeout as wait } from "node:timers/promises";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";

/** A temporary error, shown to users only when all attempts have failed. */
export class RetryableError extends ProductError {}

export interface RetryPolicy {
  /** Number of tries in all. */
  tries: number;
  /** The wait before the second try; it doubles from there. */
  firstDelayMs: number;
  longestDelayMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  tries: 6,
  firstDelayMs: 1000,
  longestDelayMs: 30_000,
};

/** A hub that asks to wait longer than this is reported instead. */
const longestRetryAfterSeconds = 60;

/** Counts the failures of one thing and says how long to wait before the next try. */
export class Retries {
  readonly #policy: RetryPolicy;
  #failures = 0;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /** Progress was made: earlier failures no longer count. */
  noteProgress(): void {
    this.#failures = 0;
  }

  /**
   * Waits as long as fits, after telling `report` why.
   *
   * @throws the error itself when it cannot pass, or the tries are used up
   */
  async waitAfter(
    error: unknown,
    signal: AbortSignal,
    report: (detail: string) => void,
  ): Promise<void> {
    if (!(error instanceof RetryableError)) throw error;
    const asked = error.retryAfterSeconds;
    this.#failures += 1;
    if (this.#failures >= this.#policy.tries) throw error;
    if (asked !== undefined && asked > longestRetryAfterSeconds) throw error;
    const { firstDelayMs, longestDelayMs } = this.#policy;
    const grown = Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#failures - 1));
    const delayMs = asked === undefined ? grown : Math.max(grown, asked * 1000);
    const seconds = (delayMs / 1000).toFixed(delayMs < 9_950 ? 1 : 0);
    report(
      `${error.message} Retrying in ${seconds} s (try ${this.#failures + 1} of ${this.#policy.tries}).`,
    );
    await pause(delayMs, signal);
  }
}

/** @throws ProductError `STORE_HUB_CANCELLED` when the signal ends the wait */
export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(delayMs, undefined, { signal });
  } catch {
    throw cancelled();
  }
}

export function cancelled(): ProductError {
  return new ProductError(storeErrors.hubCancelled, {
    message: "The download was cancelled.",
    hint: "The partial file is kept; run the command again to resume.",
  });
}
