// Searching the prompt history backwards, as shells do: a pure function of state and key.

export interface HistorySearch {
  readonly query: string;
  /** Shown entry; undefined while nothing matches. */
  readonly index: number | undefined;
}

export type HistorySearchAction =
  | { type: "type"; text: string }
  | { type: "deleteBackward" }
  /** Next older match, or next newer one. */
  | { type: "older" }
  | { type: "younger" };

export const emptySearch: HistorySearch = { query: "", index: undefined };

export function reduceHistorySearch(
  search: HistorySearch,
  action: HistorySearchAction,
  history: readonly string[],
): HistorySearch {
  switch (action.type) {
    case "type":
      return found({ ...search, query: search.query + action.text }, history);
    case "deleteBackward": {
      const query = Array.from(search.query).slice(0, -1).join("");
      return found({ query, index: undefined }, history);
    }
    case "older":
      return moved(search, history, -1);
    case "younger":
      return moved(search, history, 1);
  }
}

export function foundEntry({ index }: HistorySearch, history: readonly string[]): string {
  return index === undefined ? "" : (history[index] ?? "");
}

/** A longer query keeps the shown entry while it still matches. */
function found({ query, index }: HistorySearch, history: readonly string[]): HistorySearch {
  const newest = index ?? history.length - 1;
  const at = history.findLastIndex((entry, place) => place <= newest && fits(entry, query));
  return { query, index: query === "" || at === -1 ? undefined : at };
}

/** Stays at the last match. */
function moved(
  search: HistorySearch,
  history: readonly string[],
  direction: -1 | 1,
): HistorySearch {
  const { query, index } = search;
  const from = index ?? history.length;
  const shown = index === undefined ? undefined : history[index];
  for (let at = from + direction; at >= 0 && at < history.length; at += direction) {
    if (fits(history[at], query) && history[at] !== shown) return { query, index: at };
  }
  return search;
}

function fits(entry: string | undefined, query: string): boolean {
  return entry?.toLowerCase().includes(query.toLowerCase()) ?? false;
}
