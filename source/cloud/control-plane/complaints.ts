// What goes wrong at every look is told once, until something else does or it is over.
import { type Clock, systemClock } from "../../base/clock.ts";
import { describeError } from "../../base/product-error.ts";

/** What has not gone wrong again for so long is over, or there is no such thing any more. */
const overAfterMs = 60_000;

interface Complaint {
  text: string;
  /** Monotonic; when it was made last. */
  at: number;
}

export class Complaints {
  readonly #log: (text: string) => void;
  readonly #clock: Clock;
  readonly #made = new Map<string, Complaint>();

  constructor(log: (text: string) => void, clock: Clock = systemClock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Whether anything that was complained of is not over. */
  get isOpen(): boolean {
    const before = this.#clock.now() - overAfterMs;
    for (const [subject, { at }] of this.#made) if (at < before) this.#made.delete(subject);
    return this.#made.size > 0;
  }

  /** @param subject what is at fault, as the log is to call it */
  tell(subject: string, error: unknown): void {
    const text = `${subject}: ${describeError(error)}`;
    const isNews = this.#made.get(subject)?.text !== text;
    this.#made.set(subject, { text, at: this.#clock.now() });
    if (isNews) this.#log(text);
  }

  /** It goes well now. */
  end(subject: string): void {
    this.#made.delete(subject);
  }
}
