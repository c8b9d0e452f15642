// Entries printed to the terminal's scrollback in the layout `inline`, each once.

import type { TranscriptEntry } from "../../../../chat/conversation/transcript-entry.ts";

export type PrintedItem = { readonly key: number } & (
  | { readonly entry: TranscriptEntry }
  | { readonly skipped: number }
);

/** Only this many entries of a resumed chat are printed. */
const printedAtOnceMaximum = 40;

export class PrintedEntries {
  #items: readonly PrintedItem[] = [];
  /** The last known finished entries of the conversation. */
  #known: readonly TranscriptEntry[] = [];
  #conversation = 0;

  get items(): readonly PrintedItem[] {
    return this.#items;
  }

  /**
   * Records the finished entries.
   *
   * @returns everything to be printed so far, oldest first; the same array until there is more
   */
  take(state: {
    readonly entries: readonly TranscriptEntry[];
    readonly conversation: number;
  }): readonly PrintedItem[] {
    const finished = state.entries.slice(0, finishedCount(state.entries));
    const known = state.conversation === this.#conversation ? this.#known : [];
    this.#conversation = state.conversation;
    this.#known = finished;
    let same = 0;
    while (same < finished.length && finished[same] === known[same]) same += 1;
    // A message that has changed since, such as by expanding its thinking, is not printed again.
    const ids = new Set(known.slice(same).map(({ id }) => id));
    const fresh = finished.slice(same).filter(({ id }) => !ids.has(id));
    if (fresh.length > 0) this.#items = [...this.#items, ...this.#itemsOf(fresh)];
    return this.#items;
  }

  #itemsOf(fresh: readonly TranscriptEntry[]): PrintedItem[] {
    const first = this.#items.length;
    const shown = fresh.slice(-printedAtOnceMaximum);
    const skipped = fresh.length - shown.length;
    const head = skipped > 0 ? [{ key: first, skipped }] : [];
    return [...head, ...shown.map((entry, index) => ({ key: first + head.length + index, entry }))];
  }
}

/**
 * Counts the entries before those that may still change. A question stays with its answer until that
 * has begun, as it may return to the editor.
 */
export function finishedCount(entries: readonly TranscriptEntry[]): number {
  const running = entries.findLastIndex(
    (entry) => entry.kind === "assistant" && entry.state === "running",
  );
  if (running === -1) return entries.length;
  return hasBegun(entries[running]) ? running : Math.max(0, running - 1);
}

function hasBegun(entry: TranscriptEntry | undefined): boolean {
  if (entry?.kind !== "assistant") return false;
  const { text, toolCalls, steps } = entry;
  return text.trim() !== "" || toolCalls !== undefined || steps !== undefined;
}
