// What goes wrong at every look is told once, until something else does or it is over.
import { describeError } from "../../base/product-error.ts";

export class Complaints {
  readonly #log: (text: string) => void;
  readonly #told = new Map<string, string>();

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  /** Whether anything that was complained of is not over. */
  get isOpen(): boolean {
    return this.#told.size > 0;
  }

  /** @param subject what is at fault, as the log is to call it */
  tell(subject: string, error: unknown): void {
    const text = `${subject}: ${describeError(error)}`;
    if (this.#told.get(subject) === text) return;
    this.#told.set(subject, text);
    this.#log(text);
  }

  /** It goes well now, or there is no such thing any more. */
  end(subject: string): void {
    this.#told.delete(subject);
  }
}
