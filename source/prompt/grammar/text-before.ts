// Grammar for any text up to and including a mark.
import { complement, single, union } from "./character-set.ts";
import { characterClass, type GrammarRules, literal } from "./gbnf.ts";

/**
 * The text ends at the first mark. GBNF has no negation, so there is one rule for each beginning of the
 * mark that may have been written already (Knuth, Morris and Pratt).
 */
export function textBefore(rules: GrammarRules, mark: string): string {
  return rules.once(`text before ${mark}`, (start) => write(rules, mark, start));
}

/** Defines all rules except the first, and returns its body. */
function write(rules: GrammarRules, mark: string, start: string): string {
  const characters = [...mark];
  const names = characters.map((_, written) => (written === 0 ? start : rules.reserve()));
  const different = [...new Set(characters)];
  const others = complement(union(different.flatMap((each) => [...single(codeOf(each))])));
  const other = `${characterClass(others)} ${start}`;
  const bodyOf = (written: number) => {
    const alternatives = different.map((character) => {
      const next = writtenAfter(characters, written, character);
      return next === characters.length
        ? literal(character)
        : `${literal(character)} ${names[next]}`;
    });
    return [...alternatives, other].join(" | ");
  };
  names.forEach((name, written) => {
    if (written > 0) rules.define(name, bodyOf(written));
  });
  return bodyOf(0);
}

/** Returns the length of the mark's beginning that is written after another character. */
function writtenAfter(mark: readonly string[], written: number, character: string): number {
  const text = [...mark.slice(0, written), character];
  let length = text.length;
  while (
    length > 0 &&
    mark.slice(0, length).join("") !== text.slice(text.length - length).join("")
  ) {
    length -= 1;
  }
  return length;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
