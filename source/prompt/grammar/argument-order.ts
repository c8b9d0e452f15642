// Grammar for the arguments of a call, one after another: in their declared order, or in any.
import { type GrammarRules, sequence } from "./gbnf.ts";

/** One argument in the grammar of a call. */
export interface CallItem {
  /** As an expression in GBNF. */
  text: string;
  isRequired: boolean;
}

/** All orders of so many arguments take 2^5 rules. */
const mostPermuted = 5;

/**
 * Items in their order, those that are not required left out or not.
 *
 * @param between what separates two of them; may be empty
 */
export function inDeclaredOrder(
  rules: GrammarRules,
  items: readonly CallItem[],
  between: string,
): string {
  let none = "";
  let some = "";
  for (const { text, isRequired } of items.toReversed()) {
    const first = sequence(text, some);
    none = isRequired
      ? rules.add(first)
      : rules.add(none === "" ? `(${first})?` : `${first} | ${none}`);
    const next = sequence(between, text);
    some = rules.add(sequence(isRequired ? next : `(${next})?`, some));
  }
  return none;
}

/**
 * Items in any order, each at most once, with all that are required. Where that takes too many
 * rules, no item is held to come once, and only as many as are required.
 */
export function inAnyOrder(rules: GrammarRules, items: readonly CallItem[]): string {
  if (items.length > mostPermuted) {
    const item = rules.either(items.map(({ text }) => text));
    const required = items.filter(({ isRequired }) => isRequired).length;
    return rules.repeat(item, required, items.length);
  }
  const known = new Map<string, string>();
  const rest = (left: readonly CallItem[]): string => {
    const key = left.map((item) => items.indexOf(item)).join();
    const found = known.get(key);
    if (found !== undefined || left.length === 0) return found ?? "";
    const mayEnd = left.every(({ isRequired }) => !isRequired);
    const alternatives = left.map((item) =>
      sequence(item.text, rest(left.filter((other) => other !== item))),
    );
    const rule = rules.add(alternatives.join(" | "));
    known.set(key, mayEnd ? `(${rule})?` : rule);
    return mayEnd ? `(${rule})?` : rule;
  };
  return rest(items);
}
