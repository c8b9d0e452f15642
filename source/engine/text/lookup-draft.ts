// Prompt lookup: when the last two tokens occurred before in this conversation, guesses that the same
// tokens follow. The model checks the guess in one batch, so a wrong one costs little and changes
// nothing.

const gramLength = 2;

export class LookupDraft {
  readonly #history: number[];
  readonly #after = new Map<string, number>();
  #indexed = 0;

  constructor(promptTokens: readonly number[]) {
    this.#history = [...promptTokens];
  }

  push(token: number): void {
    this.#history.push(token);
  }

  /** Returns up to `limit` tokens that followed the last two tokens when they occurred before. */
  guess(limit: number): number[] {
    const history = this.#history;
    for (; this.#indexed < history.length - gramLength; this.#indexed += 1) {
      this.#after.set(gramAt(history, this.#indexed), this.#indexed + gramLength);
    }
    const at = this.#after.get(gramAt(history, history.length - gramLength));
    if (at === undefined) return [];
    const followed = history.slice(at, at + limit);
    const image = followed.findIndex((token) => token < 0);
    return image < 0 ? followed : followed.slice(0, image);
  }
}

function gramAt(tokens: readonly number[], index: number): string {
  return `${tokens[index]},${tokens[index + 1]}`;
}

/**
 * Number of tokens to guess. Checking 4, 8 or 16 tokens of one sequence costs less per token than the
 * lengths between (llama.cpp's repacked kernels work on rows of four), so the guess fills such a step.
 */
export function draftLength(guessed: number, wanted: number): number {
  for (const length of [15, 7, 3]) {
    if (length <= wanted && guessed >= length) return length;
  }
  return 0;
}
