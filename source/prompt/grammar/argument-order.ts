// Grammar for the arguments of a call: in their declared order, or in any order.
import { type GrammarRules, sequence } from "./gbnf.ts";

/** Argument in the grammar of a call. */
export interface CallItem {
  /** Expression in GBNF. */
  text: string;
  isRequired: boolean;
}

/** All orders of this many arguments take 2^5 rules. */
const maxPermuted = 5;

/**
 * Returns items in their order, with optional ones present or not.
 *
 * @param between separator; may be empty
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
 * Returns items in any order, each at most once, including all required ones. If that takes too many
 * rules, only the number of required items is enforced.
 */
export function inAnyOrder(rules: GrammarRules, items: readonly CallItem[]): string {
  if (items.length > maxPermuted) {
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
