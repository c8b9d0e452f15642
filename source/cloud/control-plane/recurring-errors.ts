// Log of recurring errors: each is logged once, until it changes or is resolved.
import { type Clock, systemClock } from "../../base/clock.ts";
import { describeError } from "../../base/product-error.ts";

/** Errors that have not recurred for this long count as resolved. */
const resolvedAfterMs = 60_000;

interface Occurrence {
  text: string;
  /** Monotonic time of the last occurrence. */
  at: number;
}

export class RecurringErrors {
  readonly #log: (text: string) => void;
  readonly #clock: Clock;
  readonly #open = new Map<string, Occurrence>();

  constructor(log: (text: string) => void, clock: Clock = systemClock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** True while an error is unresolved. */
  get hasOpen(): boolean {
    const before = this.#clock.now() - resolvedAfterMs;
    for (const [subject, { at }] of this.#open) if (at < before) this.#open.delete(subject);
    return this.#open.size > 0;
  }

  /** @param subject name of the failing part in the log */
  report(subject: string, error: unknown): void {
    const text = `${subject}: ${describeError(error)}`;
    const isNew = this.#open.get(subject)?.text !== text;
    this.#open.set(subject, { text, at: this.#clock.now() });
    if (isNew) this.#log(text);
  }

  /** Marks the subject's error as resolved. */
  resolve(subject: string): void {
    this.#open.delete(subject);
  }
}
