// Checkpoints of sequences, for models that cannot forget a part of one: recurrent memory has no
// parts, and a sliding window has dropped its past.
import type { Addon, AddonContext } from "./addon.ts";
import type { ImageTokens } from "./image-tokens.ts";
import type { Checkpoint, Slot } from "./slot.ts";

/** Shorter shared beginnings are read again. */
const smallestLength = 32;

export interface CheckpointOptions {
  addon: Pick<Addon, "AddonContextSequenceCheckpoint">;
  context: AddonContext;
  images: ImageTokens;
  /** Most memory of all checkpoints together. */
  budgetBytes: number;
  log: (text: string) => void;
}

export class Checkpoints<Job> {
  readonly #options: CheckpointOptions;
  readonly #slots: ReadonlyArray<Slot<Job>>;

  /** @param slots all slots of the context */
  constructor(slots: ReadonlyArray<Slot<Job>>, options: CheckpointOptions) {
    this.#slots = slots;
    this.#options = options;
  }

  /** Saves the slot's present state; a failure only costs time later. */
  async make(slot: Slot<Job>): Promise<void> {
    const { addon, context, log } = this.#options;
    const { length } = slot.tokens;
    if (length < smallestLength) return;
    const known = slot.checkpoints.find((checkpoint) => checkpoint.length === length);
    if (known !== undefined) {
      known.lastUsed = performance.now();
      return;
    }
    const state = new addon.AddonContextSequenceCheckpoint();
    try {
      await state.init(context, slot.id);
    } catch (error) {
      state.dispose();
      log(`a checkpoint could not be made: ${error instanceof Error ? error.message : error}`);
      return;
    }
    slot.checkpoints.push({ length, state, lastUsed: performance.now() });
    this.#shrink();
  }

  /** Returns the length of the slot's longest checkpoint of at most `most` tokens. */
  reach(slot: Slot<Job>, most: number): number {
    return this.#find(slot, most)?.length ?? 0;
  }

  /**
   * Restores the slot's longest checkpoint of at most `most` tokens.
   *
   * @returns the tokens that are then in the slot; 0 without a checkpoint or after a failure: the
   *   sequence must then be cleared
   */
  async restore(slot: Slot<Job>, most: number): Promise<number> {
    const { context, images, log } = this.#options;
    const checkpoint = this.#find(slot, most);
    if (checkpoint === undefined) return 0;
    const lastPosition = images.position(slot.tokens, checkpoint.length) - 1;
    try {
      if (!(await context.restoreCheckpoint(checkpoint.state, lastPosition))) {
        log("a checkpoint could not be restored");
        return 0;
      }
    } catch (error) {
      log(`a checkpoint could not be restored: ${error instanceof Error ? error.message : error}`);
      return 0;
    }
    checkpoint.lastUsed = performance.now();
    slot.forget(checkpoint.length);
    return checkpoint.length;
  }

  #find(slot: Slot<Job>, most: number): Checkpoint | undefined {
    return slot.checkpoints.findLast(({ length }) => length <= most);
  }

  /** Drops the least useful ones until the rest fits the budget. */
  #shrink(): void {
    const all = this.#slots.flatMap((slot) =>
      slot.checkpoints.map((checkpoint, index) => ({
        slot,
        checkpoint,
        // Tokens that would have to be read again.
        tokens: checkpoint.length - (slot.checkpoints[index - 1]?.length ?? 0),
      })),
    );
    let bytes = all.reduce((sum, { checkpoint }) => sum + checkpoint.state.size, 0);
    const now = performance.now();
    const worth = ({ checkpoint, tokens }: (typeof all)[number]) =>
      tokens / (1000 + now - checkpoint.lastUsed);
    for (const entry of all.sort((a, b) => worth(a) - worth(b))) {
      if (bytes <= this.#options.budgetBytes) return;
      const { slot, checkpoint } = entry;
      bytes -= checkpoint.state.size;
      checkpoint.state.dispose();
      slot.checkpoints = slot.checkpoints.filter((other) => other !== checkpoint);
    }
  }
}
