// Grammar for one of many texts, as a tree: texts share their prefixes, so that a long list costs no more
// to follow than a short one.
import { type GrammarRules, literal, sequence } from "./gbnf.ts";

/** @param texts at least one, none empty */
export function textTree(rules: GrammarRules, texts: readonly string[]): string {
  return branch(rules, [...new Set(texts)].sort(), 0);
}

/** @param texts sorted, unique, equal up to `from` */
function branch(rules: GrammarRules, texts: readonly string[], from: number): string {
  const [first = ""] = texts;
  if (texts.length === 1) return first.length === from ? '""' : literal(first.slice(from));
  const split = sharedLength(first, texts.at(-1) ?? "", from);
  const groups = new Map<string, string[]>();
  for (const text of texts) {
    const next = String.fromCodePoint(...codePointAt(text, split));
    const group = groups.get(next);
    if (group === undefined) groups.set(next, [text]);
    else group.push(text);
  }
  const following = rules.add(
    [...groups.values()].map((each) => branch(rules, each, split)).join(" | "),
  );
  return sequence(split > from ? literal(first.slice(from, split)) : "", following);
}

function codePointAt(text: string, index: number): number[] {
  const code = text.codePointAt(index);
  return code === undefined ? [] : [code];
}

/** Returns the length of the common prefix, without splitting surrogate pairs. */
function sharedLength(a: string, b: string, from: number): number {
  let length = from;
  while (length < a.length && a[length] === b[length]) length += 1;
  const isHalf = length > from && /[\uD800-\uDBFF]/.test(a[length - 1] ?? "");
  return isHalf ? length - 1 : length;
}
