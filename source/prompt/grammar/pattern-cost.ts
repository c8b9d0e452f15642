// Estimated cost of a pattern during generation.
//
// A grammar tracks every position in the pattern that the text may be at, and compares all of them for
// each character: repeated optional parts multiply them, so a short pattern can stall a model.
import type { PatternNode } from "./pattern-syntax.ts";

/**
 * Limit of comparisons per character, about 2 ns each. `^(a?){100}a{100}$` takes 4 million, a pattern
 * with a thousand alternative words 1 million, and typical ones fewer than a hundred.
 */
export const maxComparisons = 10_000_000;

interface Extent {
  /** Most positions at the same time. */
  places: number;
  /** Positions that one position may lead to. */
  successors: number;
}

/** @returns an upper bound of the comparisons per character */
export function patternCost(pattern: PatternNode): number {
  const alternatives = pattern.type === "either" ? pattern.alternatives : [pattern];
  let places = 0;
  let successors = 1;
  for (const alternative of alternatives) {
    const extent = extentOf(alternative, startsAtBeginning(alternative));
    places += extent.places;
    successors = Math.max(successors, extent.successors);
  }
  return places * places * successors;
}

function startsAtBeginning(node: PatternNode): boolean {
  return node.type === "start" || (node.type === "sequence" && node.parts[0]?.type === "start");
}

/** @param isFixed the node starts after a fixed number of characters */
function extentOf(node: PatternNode, isFixed: boolean): Extent {
  switch (node.type) {
    case "set":
      return { places: 1, successors: 1 };
    case "sequence":
      return sequenceExtent(node.parts, isFixed);
    case "either": {
      const extents = node.alternatives.map((each) => extentOf(each, isFixed));
      return {
        places: extents.reduce((sum, { places }) => sum + places, 0),
        successors: Math.max(1, ...extents.map(({ successors }) => successors)),
      };
    }
    case "repeat": {
      const times = timesOf(node);
      const isCounted = isFixed && fixedLength(node.part) !== undefined;
      const { places, successors } = extentOf(node.part, isCounted);
      return {
        places: isCounted ? places : places * times,
        successors: Math.max(successors, beginnings(node)),
      };
    }
    default:
      return { places: 0, successors: 1 };
  }
}

/** After a part of variable length, the text may be in all parts at once. */
function sequenceExtent(parts: readonly PatternNode[], isFixed: boolean): Extent {
  let counted = 0;
  let places = 0;
  let successors = 1;
  let open = 0;
  let isKnown = isFixed;
  for (const part of parts) {
    const extent = extentOf(part, isKnown);
    isKnown &&= fixedLength(part) !== undefined;
    if (isKnown) counted = Math.max(counted, extent.places);
    else places += extent.places;
    open += beginnings(part);
    successors = Math.max(successors, extent.successors, isOptional(part) ? open : 1);
    if (!isOptional(part)) open = 0;
  }
  return { places: Math.max(counted, places), successors };
}

/** Counts the positions in which a text for the node may start. */
function beginnings(node: PatternNode): number {
  switch (node.type) {
    case "set":
      return 1;
    case "sequence": {
      let sum = 0;
      for (const part of node.parts) {
        sum += beginnings(part);
        if (!isOptional(part) && part.type !== "start") break;
      }
      return sum;
    }
    case "either":
      return node.alternatives.reduce((sum, each) => sum + beginnings(each), 0);
    case "repeat":
      return beginnings(node.part) * (isOptional(node.part) ? timesOf(node) : 1);
    default:
      return 0;
  }
}

/** Treats an endless repetition as a loop over one position. */
function timesOf({ minimum, maximum }: { minimum: number; maximum: number }): number {
  return Number.isFinite(maximum) ? maximum : Math.max(1, minimum);
}

function isOptional(node: PatternNode): boolean {
  switch (node.type) {
    case "sequence":
      return node.parts.every(isOptional);
    case "either":
      return node.alternatives.some(isOptional);
    case "repeat":
      return node.minimum === 0 || isOptional(node.part);
    default:
      return node.type !== "set";
  }
}

/** Returns the node's number of characters; undefined if it varies. */
function fixedLength(node: PatternNode): number | undefined {
  switch (node.type) {
    case "set":
      return 1;
    case "sequence":
      return node.parts.reduce<number | undefined>((sum, part) => {
        const length = fixedLength(part);
        return sum === undefined || length === undefined ? undefined : sum + length;
      }, 0);
    case "either": {
      const lengths = new Set(node.alternatives.map(fixedLength));
      return lengths.size === 1 ? [...lengths][0] : undefined;
    }
    case "repeat": {
      const length = fixedLength(node.part);
      const isFixed = node.minimum === node.maximum && length !== undefined;
      return isFixed ? length * node.minimum : undefined;
    }
    default:
      return 0;
  }
}
