// Prompt lookup: when the last two tokens occurred before in this conversation, guesses that the
// same tokens follow. The model checks the guess in one batch, so a wrong one costs little and
// changes nothing.

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
 * Number of tokens to guess. Checking 4, 8 or 16 tokens of one sequence costs less per token than
 * the lengths between (llama.cpp's repacked kernels work on rows of four), so the guess fills such
 * a step.
 */
export function draftLength(guessed: number, wanted: number): number {
  for (const length of [15, 7, 3]) {
    if (length <= wanted && guessed >= length) return length;
  }
  return 0;
}

const samplesBeforeJudging = 3;
const firstProbeInterval = 16;
const longestProbeInterval = 1024;

/**
 * Decides by measurement whether to draft: checking a draft needs a larger step, which on small
 * models costs more than the tokens it may save.
 */
export class DraftPolicy {
  readonly #msPerToken = { plain: 0, drafted: 0 };
  readonly #samples = { plain: 0, drafted: 0 };
  #stepsSinceProbe = 0;
  #probeInterval = firstProbeInterval;

  /** Returns true if the next step should include a draft, if there is one. */
  allows(): boolean {
    if (this.#samples.plain < samplesBeforeJudging) return false;
    if (this.#samples.drafted < samplesBeforeJudging) return true;
    if (this.#msPerToken.drafted < this.#msPerToken.plain) return true;
    this.#stepsSinceProbe += 1;
    if (this.#stepsSinceProbe < this.#probeInterval) return false;
    this.#stepsSinceProbe = 0;
    this.#probeInterval = Math.min(longestProbeInterval, this.#probeInterval * 2);
    return true;
  }

  /**
   * Learns from a step of one answering slot.
   *
   * @param tokens number of the answer's tokens from this step
   */
  note(isDrafted: boolean, tokens: number, milliseconds: number): void {
    const kind = isDrafted ? "drafted" : "plain";
    const perToken = milliseconds / Math.max(1, tokens);
    const known = this.#msPerToken[kind];
    // Drafts become useful at once when text begins to repeat.
    const weight = isDrafted ? 0.5 : 0.2;
    this.#msPerToken[kind] =
      this.#samples[kind] === 0 ? perToken : (1 - weight) * known + weight * perToken;
    this.#samples[kind] += 1;
    if (isDrafted && perToken < this.#msPerToken.plain) this.#probeInterval = firstProbeInterval;
  }
}
