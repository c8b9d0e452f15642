// Grammar for the content of a JSON string that must match a regular expression.
import { inJsonString } from "./character-set.ts";
import { type GrammarRules, sequence } from "./gbnf.ts";
import { maxComparisons, patternCost } from "./pattern-cost.ts";
import { maxPaths, PathCounter } from "./pattern-paths.ts";
import { PatternError, type PatternNode, parsePattern } from "./pattern-syntax.ts";
import { maxBeginnings } from "./schema-bounds.ts";

export interface LengthBounds {
  minimum: number;
  /** May be infinity. */
  maximum: number;
}

const counters = new WeakMap<GrammarRules, PathCounter>();

/**
 * As in JSON Schema, a pattern without anchors may match anywhere in the string.
 *
 * @param anything expression for one character of a JSON string
 * @throws PatternError
 */
export function patternGrammar(
  rules: GrammarRules,
  pattern: string,
  length: LengthBounds,
  anything: string,
): string {
  const parsed = factorPattern(parsePattern(pattern));
  const cost = patternCost(parsed);
  if (cost > maxComparisons) {
    throw new PatternError(
      "the pattern has too many ways to match: its optional parts, multiplied by their " +
        `repetitions, take about ${cost.toPrecision(2)} comparisons per character; ` +
        `the limit is ${maxComparisons}`,
      false,
    );
  }
  const counter = counters.get(rules) ?? new PathCounter();
  counters.set(rules, counter);
  if (counter.count(parsed) > maxPaths) {
    throw new PatternError(
      "the pattern matches one text in too many ways: its optional or repeated parts can match the " +
        "same characters",
      false,
    );
  }
  const alternatives = parsed.type === "either" ? parsed.alternatives : [parsed];
  return rules.either(
    alternatives.map((alternative) => {
      const { part, isFromStart, isToEnd } = withoutAnchors(alternative);
      const isWhole = isFromStart && isToEnd;
      const limited = limitLength(part, length, isWhole);
      const around = `${anything}*`;
      const content = expression(rules, limited);
      return sequence(isFromStart ? "" : around, content, isToEnd ? "" : around) || '""';
    }),
  );
}

function withoutAnchors(node: PatternNode): {
  part: PatternNode;
  isFromStart: boolean;
  isToEnd: boolean;
} {
  const parts = node.type === "sequence" ? [...node.parts] : [node];
  const isFromStart = parts[0]?.type === "start";
  if (isFromStart) parts.shift();
  const isToEnd = parts.at(-1)?.type === "end";
  if (isToEnd) parts.pop();
  return { part: { type: "sequence", parts }, isFromStart, isToEnd };
}

/** Returns an expression for the node, in brackets if needed. */
function expression(rules: GrammarRules, node: PatternNode): string {
  switch (node.type) {
    case "set": {
      const characters = inJsonString(node.set);
      if (characters === undefined) throw cannot("characters that JSON cannot contain");
      return characters.includes(" | ") ? `(${characters})` : characters;
    }
    case "sequence": {
      const parts = node.parts.map((part) => expression(rules, part)).filter((part) => part !== "");
      return parts.join(" ");
    }
    case "either":
      if (node.alternatives.length > maxBeginnings) {
        throw new PatternError(
          `${node.alternatives.length} alternatives of the pattern begin differently; ` +
            `the limit is ${maxBeginnings}`,
          false,
        );
      }
      return `(${node.alternatives.map((part) => expression(rules, part) || '""').join(" | ")})`;
    case "repeat": {
      const mayBeEmpty = lengthOf(node.part).minimum === 0;
      if (mayBeEmpty && node.maximum === Number.POSITIVE_INFINITY) {
        throw cannot("an endless repetition of a part that may be empty");
      }
      return rules.repeat(expression(rules, node.part) || '""', node.minimum, node.maximum);
    }
    default:
      throw cannot("an anchor in the middle");
  }
}

function cannot(what: string): PatternError {
  return new PatternError(`a pattern with ${what} is not supported`, false);
}

/** Returns the number of characters that a node matches. */
function lengthOf(node: PatternNode): LengthBounds {
  switch (node.type) {
    case "set":
      return { minimum: 1, maximum: 1 };
    case "sequence":
      return node.parts.map(lengthOf).reduce(addLengths, { minimum: 0, maximum: 0 });
    case "either": {
      const lengths = node.alternatives.map(lengthOf);
      return {
        minimum: Math.min(...lengths.map(({ minimum }) => minimum)),
        maximum: Math.max(...lengths.map(({ maximum }) => maximum)),
      };
    }
    case "repeat": {
      const { minimum, maximum } = lengthOf(node.part);
      const isNothing = maximum === 0 || node.maximum === 0;
      return {
        minimum: minimum * node.minimum,
        maximum: isNothing ? 0 : maximum * node.maximum,
      };
    }
    default:
      return { minimum: 0, maximum: 0 };
  }
}

function addLengths(first: LengthBounds, second: LengthBounds): LengthBounds {
  return { minimum: first.minimum + second.minimum, maximum: first.maximum + second.maximum };
}

/**
 * Applies `minLength` and `maxLength` to the pattern. A grammar cannot enforce both in general; it can if
 * the pattern respects the limits anyway, or if a repetition of one character is its only part of
 * variable length.
 */
function limitLength(node: PatternNode, length: LengthBounds, isWhole: boolean): PatternNode {
  const own = lengthOf(node);
  const longest = isWhole ? own.maximum : Number.POSITIVE_INFINITY;
  if (own.minimum >= length.minimum && longest <= length.maximum) return node;
  const parts = node.type === "sequence" ? node.parts : [node];
  const varying = parts.filter((part) => lengthOf(part).minimum !== lengthOf(part).maximum);
  const [part] = varying;
  const isSimple = varying.length === 1 && part?.type === "repeat" && part.part.type === "set";
  if (!isWhole || !isSimple) throw cannot("minLength or maxLength beside it");
  const fixed = own.minimum - part.minimum;
  const minimum = Math.max(part.minimum, length.minimum - fixed);
  const maximum = Math.min(part.maximum, length.maximum - fixed);
  if (minimum > maximum)
    throw new PatternError("no text matches both the pattern and the length", true);
  const limited: PatternNode = { ...part, minimum, maximum };
  return { type: "sequence", parts: parts.map((each) => (each === part ? limited : each)) };
}

type Either = Extract<PatternNode, { type: "either" }>;

/**
 * Factors out common prefixes of alternatives, so that a text is compared with one of them: `abc|abd`
 * becomes `ab(c|d)`. Top-level alternatives stay: each may have its own anchors.
 */
function factorPattern(node: PatternNode): PatternNode {
  if (node.type !== "either") return factored(node);
  return { ...node, alternatives: node.alternatives.map(factored) };
}

function factored(node: PatternNode): PatternNode {
  if (node.type === "sequence") return { ...node, parts: node.parts.map(factored) };
  if (node.type === "repeat") return { ...node, part: factored(node.part) };
  return node.type === "either" ? factoredEither(node) : node;
}

function factoredEither({ alternatives }: Either): PatternNode {
  const sequences = alternatives.map((each) => (each.type === "sequence" ? each.parts : [each]));
  // An alternative that does not begin with a character set is a group by itself.
  const groups = Map.groupBy(sequences, (parts): unknown =>
    parts[0]?.type === "set" ? JSON.stringify(parts[0].set) : parts,
  );
  const different = [...groups.values()].map((group): PatternNode => {
    const [[first, ...rest] = []] = group;
    if (first === undefined) return { type: "sequence", parts: [] };
    if (group.length === 1) return factored({ type: "sequence", parts: [first, ...rest] });
    const rests = group.map((parts): PatternNode => ({ type: "sequence", parts: parts.slice(1) }));
    return {
      type: "sequence",
      parts: [first, factoredEither({ type: "either", alternatives: rests })],
    };
  });
  const [only] = different;
  return different.length === 1 && only !== undefined
    ? only
    : { type: "either", alternatives: different };
}
