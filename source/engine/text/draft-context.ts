// Context of a draft model or of MTP heads: one sequence. Before each draft it is cut to the part that it shares
// with the text, or started again.
import type { Addon, AddonContext, AddonModel, AddonSampler } from "./addon.ts";
import type { DraftGuess, DraftPlan } from "./draft-pace.ts";
import { sharedPrefixLength } from "./slot.ts";

/** Candidates whose probabilities are compared. */
const topCandidates = 10;

/** Called before a step with its number of tokens; returns a function that takes its milliseconds. */
export type SetThreads = (context: AddonContext, tokens: number) => (milliseconds: number) => void;

export interface DraftContextParts {
  /** Initialised. */
  model: AddonModel;
  /** Initialised, with one sequence. */
  context: AddonContext;
  /** Tokens of the window. */
  window: number;
  /** Vocabulary of the model that checks the drafts: it does not know larger tokens. */
  vocabularySize: number;
}

export class DraftContext {
  readonly #parts: DraftContextParts;
  readonly #sampler: AddonSampler;
  /** Tokens in the context. */
  #tokens: number[] = [];
  /** Position of the first of them in the text. */
  #start = 0;

  constructor(addon: Addon, parts: DraftContextParts) {
    this.#parts = parts;
    this.#sampler = new addon.AddonSampler(parts.model);
    // Keeps the probabilities as they are, as far as they matter.
    this.#sampler.applyConfig({ temperature: 1, topK: topCandidates, topP: 1, minP: 0, seed: 0 });
  }

  get length(): number {
    return this.#tokens.length;
  }

  /** Counts the tokens of a text that it has not read. */
  unread(text: readonly number[]): number {
    return text.length - this.#start - this.#sharedLength(text);
  }

  /**
   * Makes the context hold the beginning of a text.
   *
   * @param reads most tokens to read
   * @param most tokens that may follow the text
   * @returns the tokens to read, at least one
   */
  prepare(text: readonly number[], reads: number, most: number): number[] {
    const { window } = this.#parts;
    const shared = Math.min(this.#sharedLength(text), text.length - this.#start - 1);
    const unread = text.length - this.#start - shared;
    const isFull = text.length - this.#start + most > window;
    if (shared <= 0 || unread > reads || isFull) {
      this.forget();
      const room = isFull ? Math.floor(window / 2) : window - most;
      this.#start = Math.max(0, text.length - Math.max(1, Math.min(reads, room)));
      return text.slice(this.#start);
    }
    this.cut(shared);
    return text.slice(this.#start + shared);
  }

  #sharedLength(text: readonly number[]): number {
    if (text.length <= this.#start) return 0;
    return sharedPrefixLength(this.#tokens, this.#start === 0 ? text : text.slice(this.#start));
  }

  /**
   * Reads tokens.
   *
   * @param outputs tokens to guess after
   * @param fill called with the context before the step
   * @returns the index of the last output
   */
  async step(
    tokens: readonly number[],
    setThreads: SetThreads,
    outputs: "none" | "last" | "all" = "last",
    fill: (context: AddonContext) => void = () => {},
  ): Promise<number> {
    const { context } = this.#parts;
    const note = setThreads(context, tokens.length);
    context.initBatch(tokens.length);
    const last = tokens.length - 1;
    const wanted = { none: [], last: [last], all: [...tokens.keys()] }[outputs];
    context.addToBatch(0, this.#tokens.length, Uint32Array.from(tokens), Uint32Array.from(wanted));
    fill(context);
    const started = performance.now();
    await context.decodeBatch();
    note(performance.now() - started);
    this.#tokens.push(...tokens);
    return last;
  }

  /** Returns the likeliest token after an output of the last step. */
  async best(index: number): Promise<DraftGuess> {
    const [, probabilities = []] = await this.#parts.context.sampleToken(
      index,
      this.#sampler,
      true,
    );
    const [token, probability] = probabilities;
    if (token === undefined || probability === undefined) throw new Error("no token was sampled");
    return { token, probability };
  }

  /**
   * Guesses token after token until the draft is long enough, or too uncertain.
   *
   * @param index output to begin with
   * @param read reads a guess. @returns the index of its output
   * @returns the guesses in order; those from `count` on were too uncertain to be checked
   */
  async guess(
    index: number,
    { most, leastChance, chanceOf }: Omit<DraftPlan, "reads">,
    read: (token: number) => Promise<number>,
  ): Promise<{ guesses: DraftGuess[]; count: number }> {
    const guesses: DraftGuess[] = [];
    let output = index;
    let chance = 1;
    for (let count = 0; ; count += 1) {
      const guess = await this.best(output);
      if (guess.token >= this.#parts.vocabularySize) return { guesses, count };
      guesses.push(guess);
      chance *= chanceOf(guess.probability);
      if (chance < leastChance) return { guesses, count };
      if (count + 1 === most) return { guesses, count: most };
      output = await read(guess.token);
    }
  }

  /** Removes all but the first tokens. */
  cut(length: number): void {
    if (length >= this.#tokens.length) return;
    this.#parts.context.removeTokenCellsFromSequence(0, length, -1);
    this.#tokens.length = length;
  }

  forget(): void {
    this.#parts.context.disposeSequence(0);
    this.#tokens = [];
    this.#start = 0;
  }
}
