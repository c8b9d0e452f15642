// Draft model: a small model of the same vocabulary that continues a text, which the model itself then checks in
// one step.
//
// Its context has one sequence, which is made to fit whatever text is asked for: cut to what it shares with
// it, or begun again. So no cut, restore or copy of a slot has to be followed. Images are left out.

import type { Addon, AddonContext, AddonModel, AddonSampler, MemoryBreakdown } from "./addon.ts";
import type { DraftGuess, DraftPlan, DraftStudy } from "./draft-pace.ts";
import { sharedPrefixLength } from "./slot.ts";

/** Most tokens of a step. */
export const draftBatchSize = 512;
/** Tokens of a step while nothing waits: a request that comes waits for one of them. */
const studyBatch = 8;
/** Steps to measure, and fewest tokens to learn from. */
const studySteps = 4;
const leastStudied = 8;
/** Candidates whose probabilities are compared. */
const topCandidates = 10;

export interface Draft {
  /** In order; those from `count` on were too uncertain to be checked. */
  guesses: DraftGuess[];
  /** Number of tokens to check. */
  count: number;
  /** Tokens of the text that had to be read. */
  read: number;
  readMs: number;
  /** Steps after that, and their milliseconds. */
  steps: number;
  draftMs: number;
}

export class DraftModel {
  readonly memory: MemoryBreakdown;
  readonly sizeBytes: number;
  readonly model: AddonModel;
  readonly #context: AddonContext;
  readonly #sampler: AddonSampler;
  readonly #window: number;
  /** Larger tokens are unknown to the model that checks them. */
  readonly #vocabularySize: number;
  /** Tokens in its context. */
  #tokens: number[] = [];
  /** Position of the first of them in the text. */
  #start = 0;

  /**
   * @param parts initialised, with a context of one sequence; `vocabularySize` is that of the model that
   *   checks the drafts
   */
  constructor(
    addon: Addon,
    parts: { model: AddonModel; context: AddonContext; window: number; vocabularySize: number },
  ) {
    this.model = parts.model;
    this.#context = parts.context;
    this.#window = parts.window;
    this.#vocabularySize = parts.vocabularySize;
    this.#sampler = new addon.AddonSampler(parts.model);
    // Keeps the probabilities as they are, as far as they matter.
    this.#sampler.applyConfig({ temperature: 1, topK: topCandidates, topP: 1, minP: 0, seed: 0 });
    const [weights, window] = [
      parts.model.getMemoryBreakdown(),
      parts.context.getMemoryBreakdown(),
    ];
    this.memory = {
      cpuRam: weights.cpuRam + window.cpuRam,
      gpuVram: weights.gpuVram + window.gpuVram,
    };
    this.sizeBytes = parts.model.getTotalSize();
  }

  async dispose(): Promise<void> {
    await this.#context.dispose();
    await this.model.dispose();
  }

  /** Counts the tokens of a text that it has not read. */
  unread(text: readonly number[]): number {
    return text.length - this.#start - this.#sharedLength(text);
  }

  /**
   * Drafts the next tokens of a text.
   *
   * @param text tokens without images; at least one
   * @param setThreads called before each step with its number of tokens
   * @throws Error when a step fails; nothing is then left in its context
   */
  async continue(
    text: readonly number[],
    { most, leastChance, chanceOf, reads }: DraftPlan,
    setThreads: (context: AddonContext, tokens: number) => (milliseconds: number) => void,
  ): Promise<Draft> {
    try {
      const started = performance.now();
      const unread = this.#prepare(text, reads, most);
      let index = 0;
      for (let at = 0; at < unread.length; at += draftBatchSize) {
        index = await this.#step(unread.slice(at, at + draftBatchSize), setThreads);
      }
      const readUntil = performance.now();
      const guesses: DraftGuess[] = [];
      let count = 0;
      let chance = 1;
      while (true) {
        const guess = await this.#best(index);
        if (guess.token >= this.#vocabularySize) break;
        guesses.push(guess);
        chance *= chanceOf(guess.probability);
        if (chance < leastChance) break;
        count += 1;
        if (count === most) break;
        index = await this.#step([guess.token], setThreads);
      }
      return {
        guesses,
        count,
        read: unread.length,
        readMs: readUntil - started,
        steps: Math.max(0, guesses.length - 1),
        draftMs: performance.now() - readUntil,
      };
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /**
   * Reads a whole text in small steps, and guesses its last tokens.
   *
   * @param judged tokens at the end to guess
   * @param isStopped asked before each step
   * @returns undefined if it was stopped, or has read the text already
   */
  async study(
    text: readonly number[],
    judged: number,
    isStopped: () => boolean,
    setThreads: (context: AddonContext, tokens: number) => (milliseconds: number) => void,
  ): Promise<DraftStudy | undefined> {
    try {
      const unread = this.#prepare(text, text.length, studySteps);
      const guessed = Math.min(judged, unread.length - 1);
      if (guessed < leastStudied) return undefined;
      const started = performance.now();
      const results: Array<{ probability: number; isRight: boolean }> = [];
      let index = 0;
      for (let at = 0; at < unread.length; at += studyBatch) {
        if (isStopped()) return undefined;
        const tokens = unread.slice(at, at + studyBatch);
        index = await this.#step(tokens, setThreads, at + tokens.length > unread.length - guessed);
        for (const [place] of tokens.entries()) {
          const next = unread[at + place + 1];
          if (next === undefined || at + place < unread.length - 1 - guessed) continue;
          const { token, probability } = await this.#best(place);
          results.push({ probability, isRight: token === next });
        }
      }
      const readMs = performance.now() - started;
      for (let step = 0; step < studySteps; step += 1) {
        if (isStopped()) return undefined;
        const { token } = await this.#best(index);
        index = await this.#step([Math.min(token, this.#vocabularySize - 1)], setThreads);
      }
      const draftMs = performance.now() - started - readMs;
      return { read: unread.length, readMs, steps: studySteps, draftMs, judged: results };
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** Makes the context hold the beginning of the text. @returns the tokens to read, at least one */
  #prepare(text: readonly number[], reads: number, most: number): number[] {
    const shared = Math.min(this.#sharedLength(text), text.length - this.#start - 1);
    const unread = text.length - this.#start - shared;
    const isFull = text.length - this.#start + most > this.#window;
    if (shared <= 0 || unread > reads || isFull) {
      this.#forget();
      const room = isFull ? Math.floor(this.#window / 2) : this.#window - most;
      this.#start = Math.max(0, text.length - Math.max(1, Math.min(reads, room)));
      return text.slice(this.#start);
    }
    if (shared < this.#tokens.length) {
      this.#context.removeTokenCellsFromSequence(0, shared, -1);
      this.#tokens.length = shared;
    }
    return text.slice(this.#start + shared);
  }

  #sharedLength(text: readonly number[]): number {
    if (text.length <= this.#start) return 0;
    return sharedPrefixLength(this.#tokens, this.#start === 0 ? text : text.slice(this.#start));
  }

  /** @returns the index to sample from */
  async #step(
    tokens: readonly number[],
    setThreads: (context: AddonContext, tokens: number) => (milliseconds: number) => void,
    needsAll = false,
  ): Promise<number> {
    const context = this.#context;
    const note = setThreads(context, tokens.length);
    context.initBatch(tokens.length);
    const last = tokens.length - 1;
    context.addToBatch(
      0,
      this.#tokens.length,
      Uint32Array.from(tokens),
      needsAll ? Uint32Array.from(tokens.keys()) : Uint32Array.of(last),
    );
    const started = performance.now();
    await context.decodeBatch();
    note(performance.now() - started);
    this.#tokens.push(...tokens);
    return last;
  }

  async #best(index: number): Promise<DraftGuess> {
    const [, probabilities = []] = await this.#context.sampleToken(index, this.#sampler, true);
    const [token, probability] = probabilities;
    if (token === undefined || probability === undefined) throw new Error("no token was sampled");
    return { token, probability };
  }

  #forget(): void {
    this.#context.disposeSequence(0);
    this.#tokens = [];
    this.#start = 0;
  }
}
