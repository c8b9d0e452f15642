// Parser for regular expressions in JSON schemas: the part of ECMAScript's that a grammar can express.
import {
  anyButLineBreaks,
  type CharacterSet,
  complement,
  digits,
  single,
  union,
  whiteSpace,
  wordCharacters,
} from "./character-set.ts";
import type { CodePointRange } from "./gbnf.ts";

export type PatternNode =
  | { type: "set"; set: CharacterSet }
  | { type: "sequence"; parts: PatternNode[] }
  | { type: "either"; alternatives: PatternNode[] }
  | { type: "repeat"; part: PatternNode; minimum: number; maximum: number }
  | { type: "start" }
  | { type: "end" };

/** Invalid pattern, or a valid one that is not supported. */
export class PatternError extends Error {
  readonly isInvalid: boolean;

  constructor(reason: string, isInvalid: boolean) {
    super(reason);
    this.isInvalid = isInvalid;
  }
}

const maxCharacters = 10_000;
const maxAlternatives = 1000;
const maxLevels = 64;

/** @throws PatternError, before the pattern is compiled if it is too large */
export function parsePattern(pattern: string): PatternNode {
  if (pattern.length > maxCharacters) {
    throw new PatternError(`the pattern has more than ${maxCharacters} characters`, false);
  }
  try {
    new RegExp(pattern, "u");
  } catch {
    try {
      new RegExp(pattern);
    } catch (error) {
      throw new PatternError(error instanceof Error ? error.message : String(error), true);
    }
  }
  const parser = new PatternParser(pattern);
  return parser.parse();
}

const classEscapes: Record<string, CharacterSet> = {
  d: digits,
  D: complement(digits),
  w: wordCharacters,
  W: complement(wordCharacters),
  s: whiteSpace,
  S: complement(whiteSpace),
};
const characterEscapes: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** Parses valid patterns, so it only checks for unsupported features. */
class PatternParser {
  readonly #characters: string[];
  #at = 0;
  #alternatives = 0;
  #level = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  parse(): PatternNode {
    const node = this.#either();
    if (this.#at < this.#characters.length) throw lacking("an unmatched bracket");
    return node;
  }

  #either(): PatternNode {
    const alternatives = [this.#sequence()];
    while (this.#skip("|")) {
      this.#alternatives += 1;
      if (this.#alternatives >= maxAlternatives) {
        throw new PatternError(`the pattern has more than ${maxAlternatives} alternatives`, false);
      }
      alternatives.push(this.#sequence());
    }
    const [only] = alternatives;
    return alternatives.length === 1 && only !== undefined
      ? only
      : { type: "either", alternatives };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#characters.length && !"|)".includes(this.#next())) {
      parts.push(this.#repeated());
    }
    return { type: "sequence", parts };
  }

  #repeated(): PatternNode {
    let part = this.#atom();
    for (let times = this.#times(); times !== undefined; times = this.#times()) {
      part = { type: "repeat", part, minimum: times[0], maximum: times[1] };
    }
    return part;
  }

  #times(): [minimum: number, maximum: number] | undefined {
    const times = this.#quantifier();
    // Greedy and lazy repetitions match the same texts.
    if (times !== undefined) this.#skip("?");
    return times;
  }

  #quantifier(): [minimum: number, maximum: number] | undefined {
    if (this.#skip("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.#skip("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.#skip("?")) return [0, 1];
    // A cheap check first: most characters are not a bracket.
    if (this.#next() !== "{") return undefined;
    const braces = this.#match(/^\{(\d+)(,(\d*))?\}/);
    if (braces === undefined) return undefined;
    const minimum = Number(braces[1]);
    if (braces[2] === undefined) return [minimum, minimum];
    return [minimum, braces[3] ? Number(braces[3]) : Number.POSITIVE_INFINITY];
  }

  #atom(): PatternNode {
    if (this.#skip("^")) return { type: "start" };
    if (this.#skip("$")) return { type: "end" };
    if (this.#skip(".")) return { type: "set", set: anyButLineBreaks };
    if (this.#skip("(")) return this.#group();
    if (this.#skip("[")) return { type: "set", set: this.#class() };
    if (this.#skip("\\")) return { type: "set", set: this.#escape(false) };
    return { type: "set", set: single(this.#take()) };
  }

  #group(): PatternNode {
    if (this.#match(/^\?(?:=|!|<=|<!)/)) throw lacking("a lookahead or lookbehind");
    if (this.#match(/^\?[-a-z]+:/)) throw lacking("flags inside a group");
    this.#match(/^\?(?::|<\w+>)/);
    this.#level += 1;
    if (this.#level > maxLevels) {
      throw new PatternError(`the pattern has more than ${maxLevels} levels of groups`, false);
    }
    const node = this.#either();
    this.#level -= 1;
    this.#skip(")");
    return node;
  }

  #class(): CharacterSet {
    const isNegated = this.#skip("^");
    const ranges: CodePointRange[] = [];
    while (!this.#skip("]")) {
      const first = this.#classItem();
      const [start] = first;
      const isRange = first.length === 1 && this.#match(/^-(?!\])/) !== undefined;
      if (!isRange || start === undefined) {
        ranges.push(...first);
        continue;
      }
      const last = this.#classItem();
      const end = last[0]?.[1];
      // `[\w-.]` has two sets and a hyphen.
      if (start[0] === start[1] && end !== undefined && last.length === 1) {
        ranges.push([start[0], end]);
      } else ranges.push(...first, [0x2d, 0x2d], ...last);
    }
    const set = union(ranges);
    return isNegated ? complement(set) : set;
  }

  #classItem(): CharacterSet {
    return this.#skip("\\") ? this.#escape(true) : single(this.#take());
  }

  #escape(isInClass: boolean): CharacterSet {
    const digits = this.#match(/^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]+)\})/);
    if (digits !== undefined) {
      return single(Number.parseInt(digits[1] ?? digits[2] ?? digits[3] ?? "", 16));
    }
    const letter = String.fromCodePoint(this.#take());
    const set = classEscapes[letter];
    if (set !== undefined) return set;
    const code = characterEscapes[letter];
    if (code !== undefined) return single(code);
    if (isInClass && letter === "b") return single(8);
    if (/[bBpPk1-9c]/.test(letter)) throw lacking(`\\${letter}`);
    return single(letter.codePointAt(0) ?? 0);
  }

  #next(): string {
    return this.#characters[this.#at] ?? "";
  }

  #take(): number {
    const character = this.#next();
    this.#at += 1;
    return character.codePointAt(0) ?? 0;
  }

  #skip(character: string): boolean {
    if (this.#next() !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(form: RegExp): RegExpExecArray | undefined {
    const found = form.exec(this.#characters.slice(this.#at, this.#at + 24).join(""));
    if (found === null) return undefined;
    this.#at += [...found[0]].length;
    return found;
  }
}

function lacking(what: string): PatternError {
  return new PatternError(`a pattern with ${what} is not supported`, false);
}
