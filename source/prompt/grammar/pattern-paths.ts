// Number of paths on which a pattern matches a token, which llama.cpp follows one by one.
//
// llama.cpp compares a token along every path through the pattern, even where paths meet again, until one
// matches: `^(a?){100}a{100}$` has more than 10^20 for 32 letters. Typical patterns have few.
import { type CharacterSet, contains } from "./character-set.ts";
import type { PatternNode } from "./pattern-syntax.ts";

/** Limit of paths; each takes some 50 ns. */
export const maxPaths = 100_000;

/** Characters of a token of ordinary text. */
const usualLength = 16;
/** Longest token that repeats a character, such as spaces, dashes and other signs in vocabularies. */
const longestRun = 128;
const runCharacters = [..." -=_*#./~+a0"].map((character) => character.codePointAt(0) ?? 0);
/** Limit of transitions in all patterns of a schema, since counting itself must be fast. */
const maxLinks = 15_000;

interface Place {
  readonly index: number;
  readonly set: CharacterSet;
  readonly next: Place[];
}

/** First and last positions of a part of a pattern; `isOptional` if it may be empty. */
interface Part {
  readonly first: readonly Place[];
  readonly last: readonly Place[];
  readonly isOptional: boolean;
}

/** Counter for the patterns of one schema, which share a limit. */
export class PathCounter {
  #linksLeft = maxLinks;

  /** @returns the most paths for any token; infinity if there are too many positions to count */
  count(pattern: PatternNode): number {
    const automaton = new Automaton();
    try {
      const { first } = automaton.read(pattern);
      const { places } = automaton;
      places.push({ index: places.length, set: [], next: [...first] });
      const lists = nextLists(places);
      if (lists.every(isClear)) return 1;
      this.#linksLeft -= automaton.links;
      return this.#linksLeft < 0 ? Number.POSITIVE_INFINITY : pathsOf(places, lists);
    } catch (error) {
      if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
      throw error;
    }
  }
}

function pathsOf(places: readonly Place[], lists: readonly NextList[]): number {
  let paths = pathsOfText(places, lists);
  const seen = new Set<string>();
  for (const code of runCharacters) {
    const takers = Uint8Array.from(places, ({ set }) => Number(contains(set, code)));
    const key = takers.join("");
    if (paths > maxPaths || seen.has(key)) continue;
    seen.add(key);
    paths = Math.max(paths, pathsOfRun(places, takers));
  }
  return paths;
}

/** Transitions of a position; most positions share theirs, as all parts of a repetition do. */
interface NextList {
  /** Next positions, grouped by their set of characters. */
  readonly groups: readonly (readonly Place[])[];
  /** For each group, the indexes of the groups that share a character with it, itself included. */
  readonly overlapping: readonly ReadonlySet<number>[];
}

/** Returns the list of each position. */
function nextLists(places: readonly Place[]): NextList[] {
  const known = new Map<string, NextList>();
  return places.map(({ next }) => {
    const key = next.map(({ index }) => index).join();
    const list = known.get(key) ?? nextList(next);
    known.set(key, list);
    return list;
  });
}

function nextList(next: readonly Place[]): NextList {
  const bySet = Map.groupBy(next, ({ set }) => set);
  return { groups: [...bySet.values()], overlapping: overlaps([...bySet.keys()]) };
}

/** Sweeps over the ranges of all sets in order, since most overlap with few others. */
function overlaps(sets: readonly CharacterSet[]): Set<number>[] {
  const found = sets.map((_, index) => new Set([index]));
  const ranges = sets.flatMap((set, index) => set.map(([first, last]) => ({ first, last, index })));
  ranges.sort((one, other) => one.first - other.first);
  let open: typeof ranges = [];
  for (const range of ranges) {
    open = open.filter(({ last }) => last >= range.first);
    for (const { index } of open) {
      found[index]?.add(range.index);
      found[range.index]?.add(index);
    }
    open.push(range);
  }
  return found;
}

/** Returns true if each character leads to one position. */
function isClear({ groups, overlapping }: NextList): boolean {
  return groups.every((each) => each.length === 1) && overlapping.every(({ size }) => size === 1);
}

/** Positions of a text in a pattern, and their transitions. */
class Automaton {
  readonly places: Place[] = [];
  links = 0;

  /** @throws RangeError for too many positions */
  read(node: PatternNode): Part {
    switch (node.type) {
      case "set": {
        const place = { index: this.places.length, set: node.set, next: [] };
        this.places.push(place);
        return { first: [place], last: [place], isOptional: false };
      }
      case "sequence":
        return this.#join(node.parts, node.parts.length);
      case "either": {
        const parts = node.alternatives.map((each) => this.read(each));
        return {
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
          isOptional: parts.some(({ isOptional }) => isOptional),
        };
      }
      case "repeat": {
        const { part, minimum, maximum } = node;
        const isEndless = maximum === Number.POSITIVE_INFINITY;
        // No token reads further copies.
        const copies = Math.min(longestRun + 1, isEndless ? Math.max(1, minimum) : maximum);
        const joined = this.#join(Array<PatternNode>(copies).fill(part), Math.min(minimum, copies));
        if (isEndless) this.#link(joined.last, joined.first);
        return joined;
      }
      default:
        return { first: [], last: [], isOptional: true };
    }
  }

  /** @param needed number of required nodes; each optional one may only follow the one before it */
  #join(nodes: readonly PatternNode[], needed: number): Part {
    const first: Place[] = [];
    const exits = new Set<Place>();
    let last: readonly Place[] = [];
    let isEmpty = true;
    for (const [index, node] of nodes.entries()) {
      const part = this.read(node);
      this.#link(last, part.first);
      if (isEmpty) first.push(...part.first);
      last = part.isOptional ? [...last, ...part.last] : part.last;
      isEmpty &&= part.isOptional;
      if (index + 1 === needed) exits.clear();
      if (index + 1 >= needed) for (const place of last) exits.add(place);
    }
    return { first, last: [...exits], isOptional: isEmpty || needed === 0 };
  }

  #link(from: readonly Place[], to: readonly Place[]): void {
    this.links += from.length * to.length;
    if (this.links > maxLinks) throw new RangeError("too many positions");
    for (const place of from) place.next.push(...to);
  }
}

/** Assumes for each position the character that most next positions match: a bound, usually exact. */
function pathsOfText(places: readonly Place[], lists: readonly NextList[]): number {
  let ways = new Float64Array(places.length).fill(1);
  let highest = 1;
  for (let length = 1; length <= usualLength && highest <= maxPaths; length += 1) {
    const before = ways;
    const counted = new Map<NextList, number>();
    ways = Float64Array.from(lists, (list) => {
      const found = counted.get(list) ?? most(list, before);
      counted.set(list, found);
      return found;
    });
    highest = ways.reduce((one, other) => Math.max(one, other));
  }
  return highest;
}

function most({ groups, overlapping }: NextList, ways: Float64Array): number {
  const sums = groups.map((places) =>
    places.reduce((sum, { index }) => sum + (ways[index] ?? 0), 0),
  );
  let highest = 0;
  for (const indexes of overlapping) {
    let sum = 0;
    for (const index of indexes) sum += sums[index] ?? 0;
    highest = Math.max(highest, sum);
  }
  return highest;
}

/**
 * Counts all paths only if no path matches the whole run.
 *
 * @param takers by index of the position: 1 if it matches the character
 */
function pathsOfRun(places: readonly Place[], takers: Uint8Array): number {
  const own = places.map(({ next }) => next.filter(({ index }) => takers[index] === 1));
  const sums = new Float64Array(places.length);
  let ways = new Float64Array(places.length).fill(1);
  let highest = 0;
  // A place where no run of this length begins has no longer run either.
  let alive = places.map(({ index }) => index);
  for (let length = 1; length <= longestRun && highest <= maxPaths; length += 1) {
    const before = ways;
    ways = new Float64Array(places.length);
    const still: number[] = [];
    for (const index of alive) {
      let found = 0;
      for (const next of own[index] ?? []) found += before[next.index] ?? 0;
      ways[index] = found;
      const sum = (sums[index] ?? 0) + found;
      sums[index] = sum;
      if (found > 0) still.push(index);
      else highest = Math.max(highest, sum);
    }
    if (still.length === 0) break;
    alive = still;
  }
  return highest;
}
