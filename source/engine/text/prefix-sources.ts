// Sources of prompt prefixes: slots, checkpoints, saved states and files.

import type { CacheMiss, PromptSource } from "../generation.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { chooseSlot, type SlotChoice } from "./choose-slot.ts";
import type { ImageTokens } from "./image-tokens.ts";
import type { Job } from "./job.ts";
import type { PrefixCopy } from "./prefix-copy.ts";
import { continuesConversation, type SavedMatch, type SavedStates } from "./saved-states.ts";
import type { SequenceMemory } from "./sequence-memory.ts";
import { type Slot, sharedPrefixLength } from "./slot.ts";
import type { StorablePrompt, StoredMatch, StoredPrompts } from "./stored-prompts.ts";

export interface PrefixSourceOptions {
  memory: SequenceMemory;
  copy: PrefixCopy | undefined;
  checkpoints: Checkpoints<Job>;
  /** Undefined turns saved states off. */
  saved: SavedStates | undefined;
  /** Undefined turns the disk off. */
  stored: StoredPrompts | undefined;
  images: ImageTokens;
  log: (text: string) => void;
}

export interface PrefixChoice extends SlotChoice<Job> {
  /** Saved state to load into the slot first. */
  saved?: SavedMatch;
  /** File to load into the slot first. */
  stored?: StoredMatch;
}

/** Prefix of a prompt that a slot now holds. */
export interface TakenPrefix {
  /** Tokens of the prompt that are in the slot; always less than all, see `take`. */
  length: number;
  source: PromptSource;
  /** Set if the source is `none`. */
  miss?: CacheMiss;
}

/** Smaller gains are no reason to read a file. */
const smallestGain = 32;

export class PrefixSources {
  readonly #options: PrefixSourceOptions;
  // Recent cost of computing one prompt token in milliseconds; 0 before the first measurement.
  #computeMsPerToken = 0;

  constructor(options: PrefixSourceOptions) {
    this.#options = options;
  }

  /** Learns from a step that computed only prompt tokens. */
  noteComputing(tokens: number, milliseconds: number): void {
    const perToken = milliseconds / tokens;
    this.#computeMsPerToken =
      this.#computeMsPerToken === 0 ? perToken : 0.8 * this.#computeMsPerToken + 0.2 * perToken;
  }

  /** Counts the prompt's tokens that the slot, or a copy of a busy one, saves computing. */
  reusable(slot: Slot<Job>, promptTokens: readonly number[]): number {
    const { memory, checkpoints } = this.#options;
    const shared = sharedPrefixLength(slot.tokens, promptTokens);
    if (memory.isWhole || shared === 0) return shared;
    const keep = this.#keepable(promptTokens, shared);
    if (slot.job !== undefined) return memory.canCutCopy(slot, keep) ? keep : 0;
    return memory.canCut(slot, keep) ? keep : checkpoints.reach(slot, keep);
  }

  /** @returns undefined when every slot is busy */
  choose(
    slots: ReadonlyArray<Slot<Job>>,
    promptTokens: readonly number[],
  ): PrefixChoice | undefined {
    const inMemory = this.#chooseInMemory(slots, promptTokens);
    const { stored } = this.#options;
    const match = inMemory && stored?.find(promptTokens);
    const gain = (match?.length ?? 0) - (inMemory?.prefix ?? 0);
    if (stored === undefined || match === undefined || gain < smallestGain) return inMemory;
    if (!stored.isWorthLoading(match, gain, this.#computeMsPerToken)) return inMemory;
    const slot = oldestOf(slots, promptTokens);
    return slot && { slot, copyFrom: undefined, prefix: match.length, stored: match };
  }

  /** Chooses among slots and saved states. */
  #chooseInMemory(
    slots: ReadonlyArray<Slot<Job>>,
    promptTokens: readonly number[],
  ): PrefixChoice | undefined {
    const live = chooseSlot(
      slots,
      promptTokens,
      (prefix, source) => this.isWorthCopying(prefix, source),
      (slot) => this.reusable(slot, promptTokens),
    );
    const { saved } = this.#options;
    if (live === undefined || saved === undefined) return live;
    const free = slots.filter((slot) => slot.job === undefined);
    const match = saved.find(promptTokens, new Set(free.map(({ id }) => id)));
    const gain = (match?.length ?? 0) - live.prefix;
    if (match === undefined || gain < smallestGain) return live;
    if (!saved.isWorthLoading(match, gain, this.#computeMsPerToken)) return live;
    const own = free.find(({ id }) => id === match.slotId);
    const slot = own ?? oldestOf(slots, promptTokens);
    return slot && { slot, copyFrom: undefined, prefix: match.length, saved: match };
  }

  /** Length of the longest prefix of the prompt that was ever read and is still known. */
  longestShared(slots: ReadonlyArray<Slot<Job>>, promptTokens: readonly number[]): number {
    const live = slots.map(({ tokens }) => sharedPrefixLength(tokens, promptTokens));
    const saved = this.#options.saved?.longestShared(promptTokens) ?? 0;
    const stored = this.#options.stored?.longestShared(promptTokens) ?? 0;
    return this.#keepable(promptTokens, Math.max(saved, stored, ...live));
  }

  /** Saves the tokens that the slot has read so far for other conversations with the same beginning. */
  async saveBeginning(slot: Slot<Job>): Promise<void> {
    const { saved } = this.#options;
    if (!saved?.isWorthSaving(slot, this.#computeMsPerToken)) return;
    await saved.save(slot, "beginning", slot.tokens.length);
  }

  isWorthCopying(prefix: number, source: Slot<Job>): boolean {
    const { memory, copy } = this.#options;
    if (copy === undefined || !memory.canCutCopy(source, prefix)) return false;
    return copy.isWorth(prefix, source.tokens.length, this.#computeMsPerToken);
  }

  /** Prepares for new work; resolves when the context is free. */
  async resume(): Promise<void> {
    await this.#options.stored?.resume();
  }

  /** Frees memory held for further copies, and schedules writing to the disk. */
  onIdle(slots: ReadonlyArray<Slot<Job>>): void {
    this.#options.copy?.forget();
    this.#options.stored?.onIdle(() => this.#storable(slots), this.#computeMsPerToken);
  }

  /** Writes to the disk for the last time, before the model is unloaded. */
  async finish(slots: ReadonlyArray<Slot<Job>>, limitMs: number): Promise<void> {
    await this.#options.stored?.finish(this.#storable(slots), this.#computeMsPerToken, limitMs);
  }

  /** Returns the candidates for the disk: beginnings first, then the most recently used. */
  #storable(slots: ReadonlyArray<Slot<Job>>): StorablePrompt[] {
    const { saved, memory } = this.#options;
    const live = slots.map((slot) => ({
      tokens: [...slot.tokens],
      isCuttable: memory.canCutCopy(slot, 0),
      source: { slotId: slot.id },
      kind: "conversation",
      lastUsed: slot.lastUsed,
    }));
    const beside = (saved?.all ?? []).map((state) => ({ ...state, source: { file: state.file } }));
    const rank = ({ kind }: { kind: string }) => (kind === "beginning" ? 0 : 1);
    return [...beside, ...live].sort((a, b) => rank(a) - rank(b) || b.lastUsed - a.lastUsed);
  }

  /**
   * Makes the chosen slot hold the shared prefix and nothing else.
   *
   * The last token of the prompt is never part of it: it must be computed to get its logits.
   */
  async take(choice: PrefixChoice, promptTokens: readonly number[]): Promise<TakenPrefix> {
    const { memory, copy, log } = this.#options;
    const { slot, copyFrom, saved, stored } = choice;
    const keep = this.#keepable(promptTokens, choice.prefix);
    const isReplaced = saved !== undefined || copyFrom !== undefined || stored !== undefined;
    if (saved !== undefined) this.#options.saved?.reserve(saved);
    await this.#saveConversation(slot, isReplaced ? 0 : keep);
    if (stored !== undefined) {
      if (!(await this.#options.stored?.load(stored, slot))) {
        memory.clear(slot);
        return { length: 0, source: "none" };
      }
    } else if (isReplaced) {
      try {
        if (saved !== undefined) await this.#options.saved?.load(saved, slot);
        else if (copyFrom !== undefined) await copy?.copy(copyFrom, slot);
      } catch (error) {
        // For example a full /dev/shm. Computing the tokens gives the same answer, only later.
        const reason = error instanceof Error ? error.message : String(error);
        log(`a shared prefix could not be copied and is computed again: ${reason}`);
        // Leftovers of a failed copy must not stay in the slot.
        memory.clear(slot);
        return { length: 0, source: "none" };
      }
    }
    const taken = await this.#goBack(slot, keep);
    if (taken.length === 0) return taken;
    if (stored !== undefined) return { ...taken, source: "disk" };
    return saved !== undefined ? { ...taken, source: "memory" } : taken;
  }

  /** Saves a conversation that loses its slot to another one. */
  async #saveConversation(slot: Slot<Job>, keep: number): Promise<void> {
    const { saved } = this.#options;
    if (saved === undefined || continuesConversation(slot, keep)) return;
    if (!saved.isWorthSaving(slot, this.#computeMsPerToken)) return;
    await saved.save(slot, "conversation", keep);
  }

  #keepable(promptTokens: readonly number[], shared: number): number {
    return this.#options.images.boundary(promptTokens, Math.min(shared, promptTokens.length - 1));
  }

  async #goBack(slot: Slot<Job>, keep: number): Promise<TakenPrefix> {
    const { memory, checkpoints } = this.#options;
    if (memory.cut(slot, keep)) return { length: keep, source: keep > 0 ? "slot" : "none" };
    const length = await checkpoints.restore(slot, keep);
    if (length > 0) return { length, source: "checkpoint" };
    memory.clear(slot);
    return { length: 0, source: "none" };
  }
}

/** Prompt compared with the remembered ones. */
export interface ComparedPrompt {
  /** Tokens. */
  length: number;
  /** Tokens in common with an earlier prompt. */
  shared: number;
  /** True if nothing was read before it. */
  isFirst: boolean;
}

/** Adds the reason if no prefix was found. */
export function withMiss(taken: TakenPrefix, prompt: ComparedPrompt): TakenPrefix {
  if (taken.source !== "none") return taken;
  if (prompt.isFirst) return { ...taken, miss: "first prompt" };
  if (prompt.shared >= smallestGain) return { ...taken, source: "not kept" };
  return { ...taken, miss: prompt.length < smallestGain ? "too short" : "begins otherwise" };
}

function oldestOf(
  slots: ReadonlyArray<Slot<Job>>,
  promptTokens: readonly number[],
): Slot<Job> | undefined {
  return chooseSlot(
    slots,
    promptTokens,
    () => false,
    () => 0,
  )?.slot;
}
