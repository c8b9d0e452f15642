// The order in which a list shows what a filter finds: names first, then whole words, then letters.

import fuzzysort from "fuzzysort";
import type { ListItem } from "./screen.ts";

/** Scattered letters must lie at least this close together (fuzzysort's score, 0 to 1). */
const scatteredScore = 0.2;

/** The items that fit, the best first; scattered letters count only where nothing else fits. */
export function rankItems(items: readonly ListItem[], typed: string): readonly ListItem[] {
  const query = typed.trim().toLowerCase().replace(/^\//, "");
  if (query === "") return items;
  const words = query.split(/\s+/);
  const ranked = items.flatMap((item) => {
    const rank = rankOf(item, query, words);
    return rank === undefined ? [] : [{ item, rank: rank + (item.isDim ? 0.5 : 0) }];
  });
  if (ranked.length > 0) {
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ item }) => item);
  }
  // Without this limit, ten are all.
  return fuzzysort
    .go(query, items, { keys: ["title", "note"], threshold: scatteredScore, limit: 0 })
    .map(({ obj }) => obj);
}

/** 0 for the best; undefined for an item that does not fit. */
function rankOf(item: ListItem, query: string, words: readonly string[]): number | undefined {
  const names = [item.title, ...(item.names ?? [])].map((name) => name.toLowerCase());
  if (names.includes(query)) return 0;
  if (names.some((name) => name.startsWith(query))) return 1;
  if (names.some((name) => haveWords([name], words))) return 2;
  const all = [...names, item.note.toLowerCase()];
  if (haveWords(all, words)) return 3;
  return all.some((text) => text.includes(query)) ? 4 : undefined;
}

/** Each wanted word begins one of the texts' words. */
function haveWords(texts: readonly string[], wanted: readonly string[]): boolean {
  const words = texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  return wanted.every((want) => words.some((word) => word.startsWith(want)));
}
