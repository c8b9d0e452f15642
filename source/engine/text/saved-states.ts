// States of sequences beside the slots: conversations that have lost their slot to another one, and
// beginnings that several conversations share.
import { statSync } from "node:fs";
import type { AddonContext } from "./addon.ts";
import type { MemoryFolder } from "./memory-folder.ts";
import type { SequenceMemory } from "./sequence-memory.ts";
import { type Checkpoint, type Slot, sharedPrefixLength } from "./slot.ts";

/** A conversation goes on in one place; a beginning serves many. */
export type SavedKind = "conversation" | "beginning";

export interface SavedState {
  readonly kind: SavedKind;
  readonly tokens: readonly number[];
  readonly promptLength: number;
  readonly file: string;
  /** Size of the file. */
  readonly bytes: number;
  /** The slot it was in. Its checkpoints can be restored there alone. */
  readonly slotId: number;
  checkpoints: Checkpoint[];
  /** True when any part of it can be forgotten once it is loaded. */
  readonly isCuttable: boolean;
  /** Monotonic milliseconds. */
  lastUsed: number;
}

export interface SavedMatch {
  state: SavedState;
  /** Counts the prompt's tokens that need not be computed. */
  length: number;
  /** The only slot in which that is so. */
  slotId: number | undefined;
}

export interface SavedStateOptions {
  context: AddonContext;
  memory: SequenceMemory;
  folder: MemoryFolder;
  /** Most memory that all of them may take together. */
  budgetBytes: number;
  /** Tokens of one slot's window. */
  windowTokens: number;
  log: (text: string) => void;
}

/** Shorter ones are computed again. */
const smallestLength = 64;
/** A conversation that loses fewer tokens of its prompt is computed again, too. */
const smallestLoss = 128;
/** Leaves that share of the folder's room to others. */
const shareOfRoom = 0.9;

export class SavedStates {
  readonly #options: SavedStateOptions;
  #states: SavedState[] = [];
  // First guesses, replaced by what is measured.
  #saveMsPerToken = 0.005;
  #loadMsPerToken = 0.005;

  constructor(options: SavedStateOptions) {
    this.#options = options;
  }

  /** @param computeMsPerToken what computing a prompt token has cost lately */
  isWorthSaving<J>(slot: Slot<J>, computeMsPerToken: number): boolean {
    const { length } = slot.tokens;
    if (length < smallestLength || this.#options.budgetBytes === 0) return false;
    if (this.#states.some((state) => isCovered(slot.tokens, state))) return false;
    return computeMsPerToken > 2 * (this.#saveMsPerToken + this.#loadMsPerToken);
  }

  /** @param gain tokens that would not have to be computed */
  isWorthLoading({ state }: SavedMatch, gain: number, computeMsPerToken: number): boolean {
    return gain * computeMsPerToken > 1 + 1.5 * state.tokens.length * this.#loadMsPerToken;
  }

  /**
   * Keeps what the slot remembers; it stays in the slot, too.
   *
   * @param keep tokens that the slot will go on with: the checkpoints behind them go with the saved state
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
      // A full /dev/shm, say: the conversation is computed again when it goes on.
      folder.remove(file);
      log(`a conversation could not be kept: ${error instanceof Error ? error.message : error}`);
      return;
    }
    const perToken = (performance.now() - started) / slot.tokens.length;
    this.#saveMsPerToken = 0.7 * this.#saveMsPerToken + 0.3 * perToken;
  }

  /**
   * Finds what is kept of a prompt's beginning.
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

  /** The longest beginning of a prompt that any of them begins with, of use or not. */
  longestShared(promptTokens: readonly number[]): number {
    return Math.max(
      0,
      ...this.#states.map(({ tokens }) => sharedPrefixLength(tokens, promptTokens)),
    );
  }

  /** Keeps a state that was found from being dropped until it is loaded. */
  reserve({ state }: SavedMatch): void {
    this.#states = this.#states.filter((other) => other !== state);
  }

  /**
   * Puts a reserved state into a slot, which gets its checkpoints where it is the same one.
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
    if (state.kind === "conversation" && goesOn(state, length)) this.#drop(state);
    else this.#add(state);
  }

  #add(added: SavedState): void {
    const { budgetBytes, folder } = this.#options;
    // The longer one serves wherever the shorter one did.
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
 * Tells whether a prompt that shares so many tokens with a conversation goes on with it, or has its last answer
 * written once more: nothing is lost then that anybody may come back to.
 */
export function goesOn(
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
