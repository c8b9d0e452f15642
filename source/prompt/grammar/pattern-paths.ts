// Number of paths on which a pattern matches a token, which llama.cpp follows one by one.
//
// llama.cpp compares a token along every path through the pattern, even where paths meet again, until one
// matches: `^(a?){100}a{100}$` has more than 10^20 for 32 letters. Typical patterns have few.
import { type CharacterSet, contains, overlaps } from "./character-set.ts";
import type { PatternNode } from "./pattern-syntax.ts";

/** Limit of paths; each takes some 50 ns. */
export const mostPaths = 100_000;

/** Characters of a token of ordinary text. */
const usualLength = 16;
/** Longest token that repeats a character, such as spaces, dashes and other signs in vocabularies. */
const longestRun = 128;
const runCharacters = [..." -=_*#./~+a0"].map((character) => character.codePointAt(0) ?? 0);
/** Limit of transitions in all patterns of a schema, since counting itself must be fast. */
const mostLinks = 30_000;

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
  #linksLeft = mostLinks;

  /** @returns the most paths for any token; infinity if there are too many positions to count */
  count(pattern: PatternNode): number {
    const automaton = new Automaton();
    try {
      const { first } = automaton.read(pattern);
      const { places } = automaton;
      places.push({ index: places.length, set: [], next: [...first] });
      if (places.every(isClear)) return 1;
      this.#linksLeft -= automaton.links;
      return this.#linksLeft < 0 ? Number.POSITIVE_INFINITY : pathsOf(places);
    } catch (error) {
      if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
      throw error;
    }
  }
}

/** Returns true if each character leads to one position. */
function isClear({ next }: Place): boolean {
  return next.every((one, index) =>
    next.every((other, at) => at <= index || (one !== other && !overlaps(one.set, other.set))),
  );
}

function pathsOf(places: readonly Place[]): number {
  let paths = pathsOfText(places);
  const seen = new Set<string>();
  for (const code of runCharacters) {
    const takers = places.map(({ set }) => Number(contains(set, code))).join("");
    if (paths > mostPaths || seen.has(takers)) continue;
    seen.add(takers);
    paths = Math.max(paths, pathsOfRun(places, code));
  }
  return paths;
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
    if (this.links > mostLinks) throw new RangeError("too many positions");
    for (const place of from) place.next.push(...to);
  }
}

/** Assumes for each position the character that most next positions match: a bound, usually exact. */
function pathsOfText(places: readonly Place[]): number {
  let ways = new Float64Array(places.length).fill(1);
  let highest = 1;
  for (let length = 1; length <= usualLength && highest <= mostPaths; length += 1) {
    const before = ways;
    ways = Float64Array.from(places, ({ next }) => most(next, before));
    highest = Math.max(...ways);
  }
  return highest;
}

function most(next: readonly Place[], ways: Float64Array): number {
  let highest = 0;
  for (const { set } of next) {
    let sum = 0;
    for (const other of next) {
      if (other.set === set || overlaps(set, other.set)) sum += ways[other.index] ?? 0;
    }
    highest = Math.max(highest, sum);
  }
  return highest;
}

/** Counts all paths only if no path matches the whole run. */
function pathsOfRun(places: readonly Place[], code: number): number {
  const own = places.map(({ next }) => next.filter(({ set }) => contains(set, code)));
  const sums = new Float64Array(places.length);
  let ways = new Float64Array(places.length).fill(1);
  let highest = 0;
  for (let length = 1; length <= longestRun && highest <= mostPaths; length += 1) {
    const before = ways;
    ways = Float64Array.from(own, (next) =>
      next.reduce((total, { index }) => total + (before[index] ?? 0), 0),
    );
    let isAlive = false;
    for (const [index, found] of ways.entries()) {
      sums[index] = (sums[index] ?? 0) + found;
      if (found > 0) isAlive = true;
      else highest = Math.max(highest, sums[index] ?? 0);
    }
    if (!isAlive) break;
  }
  return highest;
}
