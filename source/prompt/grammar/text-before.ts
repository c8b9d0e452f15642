// Grammar for any text up to a mark, mark included.
import { complement, single, union } from "./character-set.ts";
import { characterClass, type GrammarRules, literal } from "./gbnf.ts";

/**
 * The text ends where the mark comes first. GBNF cannot say "anything but", so there is one rule for
 * each beginning of the mark that may have been written already (Knuth, Morris and Pratt).
 */
export function textBefore(rules: GrammarRules, mark: string): string {
  return rules.once(`text before ${mark}`, (start) => write(rules, mark, start));
}

/** Defines all rules but the first, whose body it returns. */
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

/** How much of the mark has been written once another character follows. */
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
