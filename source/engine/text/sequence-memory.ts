// Cutting of sequences: a model can forget any part of one, only the latest part, or nothing.
import type { AddonContext } from "./addon.ts";
import type { ImageTokens } from "./image-tokens.ts";
import type { Slot } from "./slot.ts";

export interface MemoryKind {
  /** True for recurrent states, which have no parts to remove. */
  isRecurrent: boolean;
  /** Tokens that a sliding window looks back on; 0 if no layer is known to have one. */
  slidingWindow: number;
}

/** Returns true if any part of a sequence can be forgotten at any time. */
export function isWhole({ isRecurrent, slidingWindow }: MemoryKind): boolean {
  return !isRecurrent && slidingWindow === 0;
}

export class SequenceMemory {
  readonly #context: AddonContext;
  readonly #images: ImageTokens;
  readonly #kind: MemoryKind;
  readonly isWhole: boolean;

  constructor(context: AddonContext, images: ImageTokens, kind: MemoryKind) {
    this.#context = context;
    this.#images = images;
    this.#kind = kind;
    this.isWhole = isWhole(kind);
  }

  /** Returns true if the slot can continue after its first tokens as if it had read no others. */
  canCut<J>(slot: Slot<J>, keep: number): boolean {
    if (keep === slot.tokens.length) return true;
    const { isRecurrent, slidingWindow } = this.#kind;
    if (isRecurrent || keep === 0) return false;
    const oldest = this.#context.getSequenceKvCacheMinPosition(slot.id);
    const position = this.#images.position(slot.tokens, keep);
    return oldest <= (slidingWindow === 0 ? 0 : Math.max(0, position - slidingWindow));
  }

  /** Returns true if a saved copy of the slot can be cut there; tokens outside its window are not saved. */
  canCutCopy<J>(slot: Slot<J>, keep: number): boolean {
    if (keep === slot.tokens.length || this.isWhole) return true;
    if (this.#kind.isRecurrent) return false;
    return this.#images.end(slot.tokens) <= this.#kind.slidingWindow;
  }

  /** @returns false if nothing was removed, see `canCut` */
  cut<J>(slot: Slot<J>, keep: number): boolean {
    if (keep === slot.tokens.length) return true;
    if (keep === 0 || !this.canCut(slot, keep)) return false;
    const from = this.#images.position(slot.tokens, keep);
    if (!this.#context.removeTokenCellsFromSequence(slot.id, from, -1)) return false;
    slot.forget(keep);
    return true;
  }

  /** Removes all tokens. */
  clear<J>(slot: Slot<J>): void {
    this.#context.disposeSequence(slot.id);
    slot.forget();
  }
}
