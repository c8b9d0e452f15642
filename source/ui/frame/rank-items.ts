// Ranks filter matches: names first, then whole words, then scattered letters.

import fuzzysort from "fuzzysort";
import type { ListItem } from "./screen.ts";

/** Minimum score of scattered letters (fuzzysort's score, 0 to 1). */
const scatteredScore = 0.2;

/**
 * Returns the matching items, best first; scattered letters count only when nothing else matches.
 */
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
  // 0: no limit; the default is ten.
  return fuzzysort
    .go(query, items, { keys: ["title", "note"], threshold: scatteredScore, limit: 0 })
    .map(({ obj }) => obj);
}

/** Returns 0 for the best match; undefined for none. */
function rankOf(item: ListItem, query: string, words: readonly string[]): number | undefined {
  const names = [item.title, ...(item.names ?? [])].map((name) => name.toLowerCase());
  if (names.includes(query)) return 0;
  if (names.some((name) => name.startsWith(query))) return 1;
  if (names.some((name) => haveWords([name], words))) return 2;
  const all = [...names, item.note.toLowerCase()];
  if (haveWords(all, words)) return 3;
  return all.some((text) => text.includes(query)) ? 4 : undefined;
}

/** True if each word of the filter begins one of the texts' words. */
function haveWords(texts: readonly string[], wanted: readonly string[]): boolean {
  const words = texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  return wanted.every((want) => words.some((word) => word.startsWith(want)));
}
