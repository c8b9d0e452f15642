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
  const comma = sequence('","', json.space);
  // Built from the end: the rest with a member before it, and without.
  let following =
    additional === undefined
      ? ""
      : json.rules.repeat(sequence(comma, additional), 0, Number.POSITIVE_INFINITY);
  let beginning =
    additional === undefined ? "" : json.separated(additional, 0, Number.POSITIVE_INFINITY);
  for (const { name, value, isRequired } of properties.toReversed()) {
    const member = json.member(literal(JSON.stringify(name)), value);
    const withMember = sequence(member, following);
    const afterMembers = sequence(comma, withMember);
    if (isRequired) {
      beginning = json.rules.add(withMember);
      following = json.rules.add(afterMembers);
    } else {
      beginning = choice(json.rules, withMember, beginning);
      following = choice(json.rules, afterMembers, following);
    }
  }
  return json.rules.add(json.between("{", beginning === "" ? "" : beginning, "}"));
}

function choice(rules: GrammarRules, first: string, second: string): string {
  return rules.add(`${first} | ${second === "" ? '""' : second}`);
}

/** Matches a key other than the names. Escapes are not allowed, so that it cannot equal a name in disguise. */
export function otherKey(json: JsonRules, names: readonly string[]): string {
  const anything = json.rules.add(characterClass(unescaped));
  const beginnings = names.map((name) => [...name]);
  return json.quoted(keyFrom(json.rules, beginnings, anything));
}

/** Matches the rest of a key, where `names` are the remainders of names that began like it. */
function keyFrom(rules: GrammarRules, names: readonly string[][], anything: string): string {
  const byFirst = new Map<string, string[][]>();
  for (const [first, ...rest] of names) {
    if (first !== undefined) byFirst.set(first, [...(byFirst.get(first) ?? []), rest]);
  }
  const firsts = [...byFirst.keys()].map((first) => first.codePointAt(0) ?? 0);
  const others = intersection(unescaped, complement(union(firsts.flatMap(single))));
  const alternatives = [`${characterClass(others)} ${anything}*`];
  for (const [first, rests] of byFirst) {
    const isWritten = contains(unescaped, first.codePointAt(0) ?? 0);
    if (isWritten) alternatives.push(sequence(literal(first), keyFrom(rules, rests, anything)));
  }
  const mayEnd = !names.some((name) => name.length === 0);
  if (mayEnd) alternatives.push('""');
  return rules.add(alternatives.join(" | "));
}
