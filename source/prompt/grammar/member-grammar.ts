// Grammar for the members of objects: declared ones in their order, then others.
import { complement, contains, intersection, single, unescaped, union } from "./character-set.ts";
import { characterClass, type GrammarRules, literal, sequence } from "./gbnf.ts";
import type { JsonRules } from "./json-rules.ts";

export interface DeclaredProperty {
  name: string;
  /** Expression of the value. */
  value: string;
  isRequired: boolean;
}

export interface ObjectShape {
  properties: readonly DeclaredProperty[];
  /** Expression of a further member, including its key; undefined if none is allowed. */
  additional: string | undefined;
  /** Used only for objects without declared properties. */
  minimum: number;
  maximum: number;
}

export function membersGrammar(json: JsonRules, shape: ObjectShape): string {
  const { properties, additional, minimum, maximum } = shape;
  if (properties.length === 0) {
    const members = additional === undefined ? "" : json.separated(additional, minimum, maximum);
    return json.rules.add(json.between("{", members, "}"));
  }
  // Shared by all keys, unless others are allowed, whose form is unknown.
  const quote = additional === undefined ? '"\\""' : "";
  const comma = sequence('","', json.space, quote);
  // Built from the end: one or more members, from a property on.
  let members =
    additional === undefined ? "" : json.separated(additional, 1, Number.POSITIVE_INFINITY);
  let isOptional = true;
  for (const { name, value, isRequired } of properties.toReversed()) {
    const next = sequence(comma, members);
    const following = members === "" ? "" : isOptional ? `(${next})?` : next;
    const key = JSON.stringify(name).slice(quote === "" ? 0 : 1);
    const first = sequence(json.member(literal(key), value), following);
    members = json.rules.add(isRequired || members === "" ? first : `${first} | ${members}`);
    isOptional &&= !isRequired;
  }
  const all = sequence(quote, members);
  return json.rules.add(json.between("{", isOptional ? `(${all})?` : all, "}"));
}

/** Matches a key other than the names. Escapes are not allowed, so that it cannot equal a name in disguise. */
export function otherKey(json: JsonRules, names: readonly string[]): string {
  const anything = json.rules.add(characterClass(unescaped));
  const characters = names.map((name) => [...name]);
  return json.quoted(keyFrom(json.rules, characters, anything));
}

/** Matches the rest of a key whose first `written` characters begin each of the names. */
function keyFrom(
  rules: GrammarRules,
  names: readonly string[][],
  anything: string,
  written = 0,
): string {
  const byNext = new Map<string, string[][]>();
  for (const name of names) {
    const next = name[written];
    if (next === undefined) continue;
    const alike = byNext.get(next);
    if (alike === undefined) byNext.set(next, [name]);
    else alike.push(name);
  }
  const nexts = [...byNext.keys()].map((next) => next.codePointAt(0) ?? 0);
  const others = intersection(unescaped, complement(union(nexts.flatMap(single))));
  const alternatives = [`${characterClass(others)} ${anything}*`];
  for (const [next, alike] of byNext) {
    const isWritten = contains(unescaped, next.codePointAt(0) ?? 0);
    if (!isWritten) continue;
    alternatives.push(sequence(literal(next), keyFrom(rules, alike, anything, written + 1)));
  }
  const mayEnd = !names.some((name) => name.length === written);
  if (mayEnd) alternatives.push('""');
  return rules.add(alternatives.join(" | "));
}
