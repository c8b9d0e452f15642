// Sets of characters in regular expressions, and their form in JSON strings.
import { type CodePointRange, characterClass, literal } from "./gbnf.ts";

/** Sorted, without overlaps. */
export type CharacterSet = readonly CodePointRange[];

const lastCodePoint = 0x10ffff;

const code = (character: string) => character.codePointAt(0) ?? 0;
const one = (character: string): CodePointRange => [code(character), code(character)];

export const anyCharacter: CharacterSet = [[0, lastCodePoint]];
export const digits: CharacterSet = [[code("0"), code("9")]];
export const wordCharacters = union([
  [code("0"), code("9")],
  [code("A"), code("Z")],
  one("_"),
  [code("a"), code("z")],
]);
export const whiteSpace = union([
  [0x09, 0x0d],
  one(" "),
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
/** Characters that `.` matches. */
export const anyButLineBreaks = complement(union([one("\n"), one("\r"), [0x2028, 0x2029]]));

/** Shared by all patterns, so that their JSON form is computed once. */
const ascii: readonly CharacterSet[] = Array.from({ length: 128 }, (_, code) => [[code, code]]);

export function single(codePoint: number): CharacterSet {
  return ascii[codePoint] ?? [[codePoint, codePoint]];
}

export function union(ranges: readonly CodePointRange[]): CharacterSet {
  const sorted = [...ranges].sort(([first], [second]) => first - second);
  const joined: Array<[number, number]> = [];
  for (const [first, last] of sorted) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

export function complement(set: CharacterSet): CharacterSet {
  const gaps: CodePointRange[] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (next < first) gaps.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= lastCodePoint) gaps.push([next, lastCodePoint]);
  return gaps;
}

export function contains(set: CharacterSet, codePoint: number): boolean {
  return set.some(([first, last]) => first <= codePoint && codePoint <= last);
}

/** Characters that need no escape in a JSON string: all but quote, backslash and control characters. */
export const unescaped = complement(union([[0, 0x1f], one('"'), one("\\"), one("\x7f")]));
const shortEscapes = ['"', "\\", "\b", "\f", "\n", "\r", "\t"];

export function intersection(set: CharacterSet, other: CharacterSet): CharacterSet {
  const common = set.flatMap(([first, last]) =>
    other.map(([from, to]): CodePointRange => [Math.max(first, from), Math.min(last, to)]),
  );
  return common.filter(([first, last]) => first <= last);
}

const written = new WeakMap<CharacterSet, string>();

/** Returns an expression for one character of a set in a JSON string; undefined for an empty set. */
export function inJsonString(set: CharacterSet): string | undefined {
  const expression = written.get(set) ?? write(set);
  if (expression !== undefined) written.set(set, expression);
  return expression;
}

function write(set: CharacterSet): string | undefined {
  const plain = intersection(set, unescaped);
  const alternatives = shortEscapes
    .filter((character) => contains(set, code(character)))
    .map((character) => literal(JSON.stringify(character).slice(1, -1)));
  const [[first, last] = [0, 0]] = plain;
  const text = String.fromCodePoint(first);
  // Text can be factored; half of a surrogate pair is not text.
  const isText = plain.length === 1 && first === last && text.isWellFormed();
  if (isText) alternatives.unshift(literal(text));
  else if (plain.length > 0) alternatives.unshift(characterClass(plain));
  return alternatives.length === 0 ? undefined : alternatives.join(" | ");
}
