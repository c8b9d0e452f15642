// Saved states of sequences outside the slots: conversations that lost their slot to another one,
// and beginnings that several conversations share.
import { statSync } from "node:fs";
import type { AddonContext } from "./addon.ts";
import type { MemoryFolder } from "./memory-folder.ts";
import type { SequenceMemory } from "./sequence-memory.ts";
import { type Checkpoint, type Slot, sharedPrefixLength } from "./slot.ts";

/** A conversation continues in one place; a beginning is shared. */
export type SavedKind = "conversation" | "beginning";

export interface SavedState {
  readonly kind: SavedKind;
  readonly tokens: readonly number[];
  readonly promptLength: number;
  readonly file: string;
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** Slot it was in; its checkpoints can be restored only there. */
  readonly slotId: number;
  checkpoints: Checkpoint[];
  /** True if any part of it can be dropped after loading. */
  readonly isCuttable: boolean;
  /** Monotonic milliseconds. */
  lastUsed: number;
}

export interface SavedMatch {
  state: SavedState;
  /** Counts the prompt's tokens that need not be computed. */
  length: number;
  /** Set if only this slot can use it. */
  slotId: number | undefined;
}

export interface SavedStateOptions {
  context: AddonContext;
  memory: SequenceMemory;
  folder: MemoryFolder;
  /** Most memory of all saved states together. */
  budgetBytes: number;
  /** Tokens of one slot's window. */
  windowTokens: number;
  log: (text: string) => void;
}

/** Shorter ones are computed again. */
const smallestLength = 64;
/** Smaller losses of a conversation's tokens are computed again too. */
const smallestLoss = 128;
/** Share of the folder's free space to use. */
const shareOfRoom = 0.9;

export class SavedStates {
  readonly #options: SavedStateOptions;
  #states: SavedState[] = [];
  // Initial guesses, replaced by measurements.
  #saveMsPerToken = 0.005;
  #loadMsPerToken = 0.005;

  constructor(options: SavedStateOptions) {
    this.#options = options;
  }

  /** @param computeMsPerToken recent cost of computing a prompt token */
  isWorthSaving<J>(slot: Slot<J>, computeMsPerToken: number): boolean {
    const { length } = slot.tokens;
    if (length < smallestLength || this.#options.budgetBytes === 0) return false;
    if (this.#states.some((state) => isCovered(slot.tokens, state))) return false;
    return computeMsPerToken > 2 * (this.#saveMsPerToken + this.#loadMsPerToken);
  }

  /** @param gain tokens that need not be computed */
  isWorthLoading({ state }: SavedMatch, gain: number, computeMsPerToken: number): boolean {
    return gain * computeMsPerToken > 1 + 1.5 * state.tokens.length * this.#loadMsPerToken;
  }

  /**
   * Saves the slot's state; the slot keeps it too.
   *
   * @param keep tokens that the slot will keep: later checkpoints move to the saved state
   */
  async save<J>(slot: Slot<J>, kind: SavedKind, keep: number): Promise<void> {
    const { context, memory, folder, log } = this.#options;
    const started = performance.now();
    const file = folder.newFile();
    try {
      await context.saveSequenceStateToFile(file, slot.id, new Uint32Array(0));
      const state: SavedState = {
        kind,
        tokens: [...slot.tokens],
        promptLength: slot.promptLength,
        file,
        bytes: statSync(file).size,
        slotId: slot.id,
        checkpoints: slot.checkpoints.filter(({ length }) => length > keep),
        isCuttable: memory.canCutCopy(slot, 0),
        lastUsed: started,
      };
      slot.checkpoints = slot.checkpoints.filter(({ length }) => length <= keep);
      this.#add(state);
    } catch (error) {
      // For example a full /dev/shm: the conversation is computed again when it continues.
      folder.remove(file);
      log(`a conversation could not be saved: ${error instanceof Error ? error.message : error}`);
      return;
    }
    const perToken = (performance.now() - started) / slot.tokens.length;
    this.#saveMsPerToken = 0.7 * this.#saveMsPerToken + 0.3 * perToken;
  }

  /**
   * Finds the saved state with the longest usable prefix of a prompt.
   *
   * @param free slots that could take it
   */
  find(promptTokens: readonly number[], free: ReadonlySet<number>): SavedMatch | undefined {
    const most = promptTokens.length - 1;
    let best: SavedMatch | undefined;
    for (const state of this.#states) {
      const shared = sharedPrefixLength(state.tokens, promptTokens);
      const match = matchOf(state, Math.min(shared, most), free);
      if (match !== undefined && match.length > (best?.length ?? 0)) best = match;
    }
    return best;
  }

  get all(): readonly SavedState[] {
    return this.#states;
  }

  /** Length of the longest common prefix with any of them, usable or not. */
  longestShared(promptTokens: readonly number[]): number {
    return Math.max(
      0,
      ...this.#states.map(({ tokens }) => sharedPrefixLength(tokens, promptTokens)),
    );
  }

  /** Protects a found state from being dropped until it is loaded. */
  reserve({ state }: SavedMatch): void {
    this.#states = this.#states.filter((other) => other !== state);
  }

  /**
   * Loads a reserved state into a slot, with its checkpoints if it is the same slot.
   *
   * @throws Error when the file cannot be read; the slot must be cleared then
   */
  async load<J>({ state, length }: SavedMatch, slot: Slot<J>): Promise<void> {
    const { context, windowTokens } = this.#options;
    const started = performance.now();
    context.disposeSequence(slot.id);
    slot.forget();
    try {
      await context.loadSequenceStateFromFile(state.file, slot.id, windowTokens);
    } catch (error) {
      this.#drop(state);
      throw error;
    }
    slot.tokens = [...state.tokens];
    if (slot.id === state.slotId) {
      slot.checkpoints = state.checkpoints;
      state.checkpoints = [];
    }
    const perToken = (performance.now() - started) / slot.tokens.length;
    this.#loadMsPerToken = 0.7 * this.#loadMsPerToken + 0.3 * perToken;
    state.lastUsed = started;
    if (state.kind === "conversation" && continuesConversation(state, length)) this.#drop(state);
    else this.#add(state);
  }

  #add(added: SavedState): void {
    const { budgetBytes, folder } = this.#options;
    // The longer one replaces shorter ones.
    for (const state of this.#states) {
      if (added.isCuttable && isCovered(state.tokens, added)) this.#drop(state);
    }
    this.#states.push(added);
    const roomBytes = folder.freeBytes * shareOfRoom + this.#bytes;
    const limit = Math.min(budgetBytes, roomBytes);
    for (const state of [...this.#states].sort((a, b) => a.lastUsed - b.lastUsed)) {
      if (this.#bytes <= limit) return;
      this.#drop(state);
    }
  }

  get #bytes(): number {
    return this.#states.reduce(
      (sum, { bytes, checkpoints }) =>
        checkpoints.reduce((more, { state }) => more + state.size, sum + bytes),
      0,
    );
  }

  #drop(state: SavedState): void {
    this.#states = this.#states.filter((other) => other !== state);
    for (const checkpoint of state.checkpoints) checkpoint.state.dispose();
    this.#options.folder.remove(state.file);
  }
}

/**
 * Returns true if a prompt that shares `shared` tokens with a conversation continues it, or repeats
 * its last question: it may then be overwritten.
 */
export function continuesConversation(
  { tokens, promptLength }: { tokens: readonly number[]; promptLength: number },
  shared: number,
): boolean {
  return Math.min(tokens.length, promptLength) - shared < smallestLoss;
}

function isCovered(tokens: readonly number[], { tokens: saved, isCuttable }: SavedState): boolean {
  if (sharedPrefixLength(tokens, saved) < tokens.length) return false;
  return isCuttable || tokens.length === saved.length;
}

function matchOf(
  state: SavedState,
  shared: number,
  free: ReadonlySet<number>,
): SavedMatch | undefined {
  if (state.isCuttable || shared === state.tokens.length) {
    return { state, length: shared, slotId: undefined };
  }
  const checkpoint = state.checkpoints.findLast(({ length }) => length <= shared);
  if (checkpoint === undefined || !free.has(state.slotId)) return undefined;
  return { state, length: checkpoint.length, slotId: state.slotId };
}
