// Streamed output, read by straight-line code that waits for more text.

/** Code that reads an output: it yields whenever it needs more text. */
export type Reading<T = void> = Generator<undefined, T, undefined>;

/**
 * Unread text and methods to read it. The result never depends on how the output was split: if more
 * text could change a decision, the reading waits for it.
 */
export class OutputText {
  #ahead = "";
  #isEnded = false;
  #attempts = 0;
  #taken = 0;
  /** All text from where the outermost attempt began, to restore it from. */
  #kept = "";
  #keptFrom = 0;

  push(text: string): void {
    this.#ahead += text;
    if (this.#attempts > 0) this.#kept += text;
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Text that has arrived and is not read yet. */
  get ahead(): string {
    return this.#ahead;
  }

  /** Number of characters read so far; a failed attempt gives its own back. */
  get position(): number {
    return this.#taken;
  }

  /** True when nothing is left and nothing more will arrive. */
  get isOver(): boolean {
    return this.#isEnded && this.#ahead === "";
  }

  take(length: number): string {
    const taken = this.#ahead.slice(0, length);
    this.#ahead = this.#ahead.slice(length);
    this.#taken += taken.length;
    return taken;
  }

  /** Waits for more text; returns false when the output has ended. */
  *more(): Reading<boolean> {
    const length = this.#ahead.length;
    while (this.#ahead.length === length && !this.#isEnded) yield;
    return this.#ahead.length > length;
  }

  /** Runs a reading that may fail, and restores the text if it does. */
  *attempt(reading: Reading<boolean>): Reading<boolean> {
    const before = this.#taken;
    if (this.#attempts === 0) {
      this.#kept = this.#ahead;
      this.#keptFrom = before;
    }
    this.#attempts += 1;
    const succeeded = yield* reading;
    this.#attempts -= 1;
    if (!succeeded) {
      this.#taken = before;
      this.#ahead = this.#kept.slice(before - this.#keptFrom);
    }
    if (this.#attempts === 0) this.#kept = "";
    return succeeded;
  }

  /** Runs a reading and restores the text whatever it returns. */
  *lookAhead(reading: Reading<boolean>): Reading<boolean> {
    let found = false;
    yield* this.attempt(
      (function* () {
        found = yield* reading;
        return false;
      })(),
    );
    return found;
  }

  *startsWith(literal: string): Reading<boolean> {
    while (this.#ahead.length < literal.length && literal.startsWith(this.#ahead)) {
      if (!(yield* this.more())) return false;
    }
    return this.#ahead.startsWith(literal);
  }

  /** Returns the longest of the literals that comes next, without reading it. */
  *oneOf(literals: readonly string[]): Reading<string | undefined> {
    const mayGrow = () =>
      literals.some(
        (literal) => literal.length > this.#ahead.length && literal.startsWith(this.#ahead),
      );
    while (mayGrow()) if (!(yield* this.more())) break;
    return literals
      .filter((literal) => this.#ahead.startsWith(literal))
      .reduce<string | undefined>(
        (longest, literal) => (literal.length > (longest?.length ?? 0) ? literal : longest),
        undefined,
      );
  }

  /** Reads a literal if it comes next. */
  *skip(literal: string): Reading<boolean> {
    if (!(yield* this.startsWith(literal))) return false;
    this.take(literal.length);
    return true;
  }

  /** Reads white space and a literal after it, or nothing. */
  *skipAfterSpace(literal: string): Reading<boolean> {
    return yield* this.attempt(this.#spaceAnd(literal));
  }

  /** Works like `skipAfterSpace` for the mark after a call; at the end a part of the mark suffices. */
  *skipClosing(mark: string): Reading<boolean> {
    return yield* this.attempt(this.#spaceAndClosing(mark));
  }

  *#spaceAndClosing(mark: string): Reading<boolean> {
    if (yield* this.#spaceAnd(mark)) return true;
    if (this.#ahead === "" || !this.#isEnded || !mark.startsWith(this.#ahead)) return false;
    this.take(this.#ahead.length);
    return true;
  }

  *#spaceAnd(literal: string): Reading<boolean> {
    yield* this.takeSpace();
    return yield* this.skip(literal);
  }

  /** Reads white space up to the first other character or the end. */
  *takeSpace(): Reading<string> {
    return yield* this.takeWhile(/\s/);
  }

  /** Reads characters as long as they match. */
  *takeWhile(kind: RegExp): Reading<string> {
    let taken = "";
    do {
      let length = 0;
      while (length < this.#ahead.length && kind.test(this.#ahead.charAt(length))) length += 1;
      taken += this.take(length);
    } while (this.#ahead === "" && (yield* this.more()));
    return taken;
  }

  /**
   * Passes text on as it arrives, up to the first of the marks.
   *
   * @param marks none may be the beginning of another
   * @returns the mark, which stays unread, or undefined at the end of the output
   */
  *passUntil(marks: readonly string[], pass: (text: string) => void): Reading<string | undefined> {
    for (;;) {
      const found = firstMark(this.#ahead, marks);
      const held = this.#isEnded ? 0 : heldLength(this.#ahead, marks);
      const free = found?.at ?? this.#ahead.length - held;
      if (free > 0) pass(this.take(free));
      if (found !== undefined) return found.mark;
      if (this.isOver) return undefined;
      yield* this.more();
    }
  }
}

function firstMark(
  text: string,
  marks: readonly string[],
): { mark: string; at: number } | undefined {
  let found: { mark: string; at: number } | undefined;
  for (const mark of marks) {
    const at = text.indexOf(mark);
    if (at >= 0 && (found === undefined || at < found.at)) found = { mark, at };
  }
  return found;
}

/** Length of the longest end of the text that could become one of the marks. */
function heldLength(text: string, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks) {
    for (let length = Math.min(mark.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(mark.slice(0, length))) longest = length;
    }
  }
  return longest;
}
