// Brings a chosen slot to the state in which the beginning of a prompt is already in it.
import type { Checkpoints } from "./checkpoints.ts";
import type { SlotChoice } from "./choose-slot.ts";
import type { ImageTokens } from "./image-tokens.ts";
import type { Job } from "./job.ts";
import type { PrefixCopy } from "./prefix-copy.ts";
import type { SequenceMemory } from "./sequence-memory.ts";
import { type Slot, sharedPrefixLength } from "./slot.ts";

export interface PrefixSourceOptions {
  memory: SequenceMemory;
  copy: PrefixCopy | undefined;
  checkpoints: Checkpoints<Job>;
  images: ImageTokens;
  log: (text: string) => void;
}

export class PrefixSources {
  readonly #options: PrefixSourceOptions;
  // What computing one prompt token has cost lately, milliseconds; unknown at first.
  #computeMsPerToken = 0;

  constructor(options: PrefixSourceOptions) {
    this.#options = options;
  }

  /** Learns from a step that computed nothing but prompt tokens. */
  noteComputing(tokens: number, milliseconds: number): void {
    const perToken = milliseconds / tokens;
    this.#computeMsPerToken =
      this.#computeMsPerToken === 0 ? perToken : 0.8 * this.#computeMsPerToken + 0.2 * perToken;
  }

  /** How many of the prompt's tokens the slot, or a copy of a busy one, spares computing. */
  reusable(slot: Slot<Job>, promptTokens: readonly number[]): number {
    const { memory, checkpoints } = this.#options;
    const shared = sharedPrefixLength(slot.tokens, promptTokens);
    if (memory.isWhole || shared === 0) return shared;
    const keep = this.#keepable(promptTokens, shared);
    if (slot.job !== undefined) return memory.canCutCopy(slot, keep) ? keep : 0;
    return memory.canCut(slot, keep) ? keep : checkpoints.reach(slot, keep);
  }

  isWorthCopying(prefix: number, source: Slot<Job>): boolean {
    const { memory, copy } = this.#options;
    if (copy === undefined || !memory.canCutCopy(source, prefix)) return false;
    return copy.isWorth(prefix, source.tokens.length, this.#computeMsPerToken);
  }

  /** Nothing is under way: memory held for further copies can go. */
  rest(): void {
    this.#options.copy?.forget();
  }

  /**
   * Makes the chosen slot hold the shared beginning and nothing else.
   *
   * @returns how many of the prompt's tokens are in the slot; always less than all of them, since
   *   the last one must be computed to get its logits
   */
  async take(choice: SlotChoice<Job>, promptTokens: readonly number[]): Promise<number> {
    const { memory, copy, log } = this.#options;
    const { slot } = choice;
    const keep = this.#keepable(promptTokens, choice.prefix);
    if (choice.copyFrom !== undefined && copy !== undefined) {
      try {
        await copy.copy(choice.copyFrom, slot);
      } catch (error) {
        // A full /dev/shm, say. Computing the tokens gives the same answer, only later.
        const reason = error instanceof Error ? error.message : String(error);
        log(`a shared beginning could not be copied and is computed again: ${reason}`);
        // What a copy that broke off has left must not stay in the slot.
        memory.clear(slot);
        return 0;
      }
    }
    return await this.#goBack(slot, keep);
  }

  #keepable(promptTokens: readonly number[], shared: number): number {
    return this.#options.images.boundary(promptTokens, Math.min(shared, promptTokens.length - 1));
  }

  async #goBack(slot: Slot<Job>, keep: number): Promise<number> {
    const { memory, checkpoints } = this.#options;
    if (memory.cut(slot, keep)) return keep;
    const restored = await checkpoints.restore(slot, keep);
    if (restored === 0) memory.clear(slot);
    return restored;
  }
}
