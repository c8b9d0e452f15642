// Brings a chosen slot to the state in which the beginning of a prompt is already in it.
import type { AddonContext } from "./addon.ts";
import type { SlotChoice } from "./choose-slot.ts";
import type { ImageTokens } from "./image-tokens.ts";
import type { Job } from "./job.ts";
import type { PrefixCopy } from "./prefix-copy.ts";
import type { Slot } from "./slot.ts";

export class PrefixSources {
  readonly #context: AddonContext;
  readonly #copy: PrefixCopy | undefined;
  readonly #images: ImageTokens;
  readonly #log: (text: string) => void;
  // What computing one prompt token has cost lately, milliseconds; unknown at first.
  #computeMsPerToken = 0;

  constructor(
    context: AddonContext,
    copy: PrefixCopy | undefined,
    images: ImageTokens,
    log: (text: string) => void,
  ) {
    this.#context = context;
    this.#copy = copy;
    this.#images = images;
    this.#log = log;
  }

  /** Learns from a step that computed nothing but prompt tokens. */
  noteComputing(tokens: number, milliseconds: number): void {
    const perToken = milliseconds / tokens;
    this.#computeMsPerToken =
      this.#computeMsPerToken === 0 ? perToken : 0.8 * this.#computeMsPerToken + 0.2 * perToken;
  }

  isWorthCopying(prefix: number, source: Slot<Job>): boolean {
    return this.#copy?.isWorth(prefix, source.tokens.length, this.#computeMsPerToken) ?? false;
  }

  /** Nothing is under way: memory held for further copies can go. */
  rest(): void {
    this.#copy?.forget();
  }

  /**
   * Makes the chosen slot hold the shared beginning and nothing else.
   *
   * @returns how many of the prompt's tokens are in the slot; always less than all of them, since
   *   the last one must be computed to get its logits
   */
  async take(choice: SlotChoice<Job>, promptTokens: readonly number[]): Promise<number> {
    const { slot } = choice;
    const prefix = Math.min(choice.prefix, promptTokens.length - 1);
    const keep = this.#images.boundary(promptTokens, prefix);
    if (choice.copyFrom !== undefined && this.#copy !== undefined) {
      try {
        await this.#copy.copy(choice.copyFrom, slot);
      } catch (error) {
        // A full /dev/shm, say. Computing the tokens gives the same answer, only later.
        const reason = error instanceof Error ? error.message : String(error);
        this.#log(`a shared beginning could not be copied and is computed again: ${reason}`);
        // What a copy that broke off has left must not stay in the slot.
        this.#context.disposeSequence(slot.id);
        slot.tokens = [];
        slot.version += 1;
        return 0;
      }
    }
    return this.#cutTo(slot, keep);
  }

  #cutTo(slot: Slot<Job>, keep: number): number {
    if (keep === slot.tokens.length) return keep;
    slot.version += 1;
    // Models with a sliding window have dropped the tokens before it: then only a pure continuation
    // is possible. Recurrent models cannot forget a part at all (the removal returns false).
    const complete = this.#context.getSequenceKvCacheMinPosition(slot.id) <= 0;
    const from = this.#images.position(slot.tokens, keep);
    const cut =
      keep > 0 && complete && this.#context.removeTokenCellsFromSequence(slot.id, from, -1);
    if (cut) {
      slot.tokens.length = keep;
      return keep;
    }
    this.#context.disposeSequence(slot.id);
    slot.tokens = [];
    return 0;
  }
}
