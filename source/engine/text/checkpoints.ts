// Checkpoints of what sequences remember, for models that cannot forget a part of it: recurrent memory
// has no parts, and a sliding window has dropped what lies before it.
import type { Addon, AddonContext } from "./addon.ts";
import type { ImageTokens } from "./image-tokens.ts";
import type { Checkpoint, Slot } from "./slot.ts";

/** A shared beginning shorter than this is read again. */
const smallestLength = 32;

export interface CheckpointOptions {
  addon: Pick<Addon, "AddonContextSequenceCheckpoint">;
  context: AddonContext;
  images: ImageTokens;
  /** Most memory that all checkpoints may take together. */
  budgetBytes: number;
  log: (text: string) => void;
}

export class Checkpoints<Job> {
  readonly #options: CheckpointOptions;
  readonly #slots: ReadonlyArray<Slot<Job>>;

  /** @param slots all of the context */
  constructor(slots: ReadonlyArray<Slot<Job>>, options: CheckpointOptions) {
    this.#slots = slots;
    this.#options = options;
  }

  /** Keeps the slot's present state; one that cannot be kept costs only time later. */
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

  /** The slot's first tokens, at most `most`, that one of its checkpoints covers. */
  reach(slot: Slot<Job>, most: number): number {
    return this.#find(slot, most)?.length ?? 0;
  }

  /**
   * Brings the slot back to its longest checkpoint of at most so many tokens.
   *
   * @returns the tokens that are in the slot then; 0 also where there is no checkpoint, or where
   *   restoring failed: the sequence must be cleared then
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

  /** Lets the least useful ones go until the rest is within the budget. */
  #shrink(): void {
    const all = this.#slots.flatMap((slot) =>
      slot.checkpoints.map((checkpoint, index) => ({
        slot,
        checkpoint,
        // Tokens that would have to be read again without it.
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
