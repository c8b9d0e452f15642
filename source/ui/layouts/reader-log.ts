// Lines for a screen reader: each once, and only the new lines of a changed screen.

export interface ReadLine {
  readonly number: number;
  readonly text: string;
}

export class ReaderLog {
  readonly #lines: ReadLine[] = [];
  readonly #known = new Map<string, readonly string[]>();
  #title: string | undefined;

  /**
   * Records the current lines of a screen.
   * @returns everything to have been printed so far, oldest first
   */
  take(title: string, lines: readonly string[]): readonly ReadLine[] {
    if (this.#title !== undefined && title !== this.#title) this.#print(`Screen: ${title}`);
    this.#title = title;
    const before = this.#known.get(title) ?? [];
    this.#known.set(title, lines);
    const grew = lines.length >= before.length && before.every((line, at) => lines[at] === line);
    const seen = new Set(before);
    const fresh = grew ? lines.slice(before.length) : lines.filter((line) => !seen.has(line));
    for (const line of fresh) this.#print(line);
    return this.#lines;
  }

  #print(text: string): void {
    this.#lines.push({ number: this.#lines.length, text });
  }
}
