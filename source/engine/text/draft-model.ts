// Draft model: a small model of the same vocabulary that continues a text, which the model itself then checks in
// one step.
//
// Its context is compared with the text before each draft, so it need not follow cuts, restores and copies of
// slots. Images are left out.

import type { Addon, AddonModel, MemoryBreakdown } from "./addon.ts";
import { DraftContext, type DraftContextParts, type SetThreads } from "./draft-context.ts";
import type { DraftGuess, DraftPlan, DraftStudy } from "./draft-pace.ts";
import type { MtpStates } from "./mtp-states.ts";

/** Most tokens of a step. */
export const draftBatchSize = 512;
/** Tokens of a step while nothing waits: a request that comes waits for one of them. */
const studyBatch = 8;
/** Steps to measure, and fewest tokens to learn from. */
const studySteps = 4;
const leastStudied = 8;

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

/** Draft model, or the model's own MTP heads. */
export interface DraftSource {
  readonly memory: MemoryBreakdown;
  /** Counts the tokens of a text that it has not read and can read. @param states see `continue` */
  unread(text: readonly number[], states: readonly Float32Array[]): number;
  /**
   * Drafts the next tokens of a text.
   *
   * @param text tokens without images; at least one
   * @param states the model's, of the last tokens before the text's last one; for MTP heads, which need one
   * @throws Error when a step fails; nothing is then left in its context
   */
  continue(
    text: readonly number[],
    plan: DraftPlan,
    setThreads: SetThreads,
    states: readonly Float32Array[],
  ): Promise<Draft>;
  /**
   * Reads a whole text in small steps, and guesses its last tokens. MTP heads cannot: they need states.
   *
   * @param judged tokens at the end to guess
   * @param isStopped asked before each step
   * @returns undefined if it was stopped, or has read the text already
   */
  study?(
    text: readonly number[],
    judged: number,
    isStopped: () => boolean,
    setThreads: SetThreads,
  ): Promise<DraftStudy | undefined>;
}

/** Source of drafts for a loaded model. */
export interface LoadedDraft {
  /** For users. */
  name: string;
  source: DraftSource;
  /** Bytes that a drafted token reads. */
  activeBytes: number;
  /** Most tokens of a draft. */
  most: number;
  /** See `MtpSettings`. */
  isForced: boolean;
  /** The model's states for MTP heads; undefined for a draft model. */
  states: MtpStates | undefined;
}

export class DraftModel implements DraftSource {
  readonly memory: MemoryBreakdown;
  readonly sizeBytes: number;
  readonly model: AddonModel;
  readonly #parts: DraftContextParts;
  readonly #context: DraftContext;

  constructor(addon: Addon, parts: DraftContextParts) {
    this.model = parts.model;
    this.#parts = parts;
    this.#context = new DraftContext(addon, parts);
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
    await this.#parts.context.dispose();
    await this.model.dispose();
  }

  unread(text: readonly number[]): number {
    return this.#context.unread(text);
  }

  async continue(
    text: readonly number[],
    { reads, ...plan }: DraftPlan,
    setThreads: SetThreads,
  ): Promise<Draft> {
    const context = this.#context;
    try {
      const started = performance.now();
      const unread = context.prepare(text, reads, plan.most);
      let index = 0;
      for (let at = 0; at < unread.length; at += draftBatchSize) {
        index = await context.step(unread.slice(at, at + draftBatchSize), setThreads);
      }
      const readUntil = performance.now();
      const draft = await context.guess(index, plan, (token) => context.step([token], setThreads));
      return {
        ...draft,
        read: unread.length,
        readMs: readUntil - started,
        steps: Math.max(0, draft.guesses.length - 1),
        draftMs: performance.now() - readUntil,
      };
    } catch (error) {
      context.forget();
      throw error;
    }
  }

  async study(
    text: readonly number[],
    judged: number,
    isStopped: () => boolean,
    setThreads: SetThreads,
  ): Promise<DraftStudy | undefined> {
    const context = this.#context;
    try {
      const unread = context.prepare(text, text.length, studySteps);
      const guessed = Math.min(judged, unread.length - 1);
      if (guessed < leastStudied) return undefined;
      const started = performance.now();
      const results: Array<{ probability: number; isRight: boolean }> = [];
      let index = 0;
      for (let at = 0; at < unread.length; at += studyBatch) {
        if (isStopped()) return undefined;
        const tokens = unread.slice(at, at + studyBatch);
        const isJudged = at + tokens.length > unread.length - guessed;
        index = await context.step(tokens, setThreads, isJudged ? "all" : "last");
        for (const [place] of tokens.entries()) {
          const next = unread[at + place + 1];
          if (next === undefined || at + place < unread.length - 1 - guessed) continue;
          const { token, probability } = await context.best(place);
          results.push({ probability, isRight: token === next });
        }
      }
      const readMs = performance.now() - started;
      for (let step = 0; step < studySteps; step += 1) {
        if (isStopped()) return undefined;
        const { token } = await context.best(index);
        index = await context.step([Math.min(token, this.#parts.vocabularySize - 1)], setThreads);
      }
      const draftMs = performance.now() - started - readMs;
      return { read: unread.length, readMs, steps: studySteps, draftMs, judged: results };
    } catch (error) {
      context.forget();
      throw error;
    }
  }
}
