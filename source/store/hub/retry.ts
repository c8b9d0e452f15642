// Retries with growing waits.
import { setTimeout as wait } from "node:timers/promises";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";

/** A temporary error, shown to users only after the last attempt. */
export class RetryableError extends ProductError {}

export interface RetryPolicy {
  /** Attempts in all, the first included. */
  tries: number;
  /** Delay before the second attempt; doubles with each further one. */
  firstDelayMs: number;
  longestDelayMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  tries: 6,
  firstDelayMs: 1000,
  longestDelayMs: 30_000,
};

/** Longer waits requested by the hub are reported as an error. */
const longestRetryAfterSeconds = 60;

/** Counts the failures of one piece of work, and waits before the next attempt. */
export class Retries {
  readonly #policy: RetryPolicy;
  #failures = 0;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /** Resets the count after progress. */
  noteProgress(): void {
    this.#failures = 0;
  }

  /**
   * Waits before the next attempt, after passing the reason to `report`.
   *
   * @throws the error itself if it is permanent, or no attempts are left
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
