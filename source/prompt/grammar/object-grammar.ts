// Grammar for objects: declared members in their order, then others.
import { complement, contains, intersection, single, unescaped, union } from "./character-set.ts";
import { characterClass, type GrammarRules, literal, sequence } from "./gbnf.ts";
import type { JsonRules } from "./json-rules.ts";
import { refuseManyAlternatives } from "./schema-bounds.ts";
import { below, type SchemaPath, unsupportedSchema } from "./schema-error.ts";
import {
  asSchema,
  propertiesOf,
  requiredOf,
  type Schema,
  type SchemaObject,
  schemaAt,
} from "./schema-keywords.ts";
import {
  type CountBounds,
  countBounds,
  inside,
  type Place,
  type TypeContext,
} from "./schema-place.ts";

/** Keys share no beginning in objects that allow undeclared ones, so each costs twice as much. */
const maxOptionalInOpen = 120;

/** Returns undefined if no object is valid. */
export function objectGrammar(
  schema: SchemaObject,
  place: Place,
  context: TypeContext,
): string | undefined {
  const { json } = context;
  const required = requiredOf(schema, place.path);
  const declared = propertiesOf(schema, place.path);
  const optional = declared.filter(([name]) => !required.includes(name)).length;
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  const most = isOpen ? maxOptionalInOpen : undefined;
  refuseManyAlternatives(optional, "properties", below(place.path, "properties"), most);
  const properties: DeclaredProperty[] = [];
  for (const [name, property] of declared) {
    const value = context.visit(property, inside(place, "properties", name));
    const isRequired = required.includes(name);
    if (value === undefined && isRequired) return undefined;
    if (value !== undefined) properties.push({ name, value, isRequired });
  }
  const further =
    schemaAt(schema, "additionalProperties", place.path) ?? schema.properties === undefined;
  const value = context.visit(further, inside(place, "additionalProperties"));
  for (const name of required.filter((each) => !declared.some(([other]) => other === each))) {
    if (value === undefined && schema.additionalProperties === false) return undefined;
    properties.push({ name, value: value ?? json.value, isRequired: true });
  }
  const key = value === undefined ? undefined : keyGrammar(schema, place, context);
  const isClosed = value === undefined || key === undefined;
  const counts = countBounds(schema, "Properties", place.path);
  refuseCounts(counts, properties, isClosed, place.path, context);
  if (isClosed && properties.length < counts.minimum) return undefined;
  const additional = isClosed ? undefined : json.member(key, value);
  return membersGrammar(json, { properties, additional, ...counts });
}

/** Returns the key of an undeclared member. */
function keyGrammar(schema: SchemaObject, place: Place, context: TypeContext): string | undefined {
  const { json } = context;
  const declared = propertiesOf(schema, place.path).map(([name]) => name);
  const names = [...new Set([...declared, ...requiredOf(schema, place.path)])];
  const form = schemaAt(schema, "propertyNames", place.path);
  const isFree = form === undefined || form === true || isPlainString(form);
  if (isFree) return names.length === 0 ? json.string : otherKey(json, names);
  if (names.length > 0) {
    if (context.isLenient) return otherKey(json, names);
    throw unsupportedSchema(
      below(place.path, "propertyNames"),
      "it cannot be combined with named properties",
    );
  }
  const key = asSchema(form, below(place.path, "propertyNames"));
  const string = typeof key === "boolean" ? key : { type: "string", ...key };
  return context.visit(string, inside(place, "propertyNames"));
}

function isPlainString(schema: Schema): boolean {
  return (
    typeof schema === "object" && Object.keys(schema).join() === "type" && schema.type === "string"
  );
}

/** Refuses limits on the number of members beside named properties, which a grammar cannot count. */
function refuseCounts(
  { minimum, maximum }: CountBounds,
  properties: readonly DeclaredProperty[],
  isClosed: boolean,
  path: SchemaPath,
  { isLenient }: TypeContext,
): void {
  if (properties.length === 0 || isLenient) return;
  const certain = properties.filter(({ isRequired }) => isRequired).length;
  const possible = isClosed ? properties.length : Number.POSITIVE_INFINITY;
  const keeps = minimum <= certain && maximum >= possible;
  if (keeps) return;
  const key = minimum > certain ? "minProperties" : "maxProperties";
  throw unsupportedSchema(below(path, key), "it cannot be combined with named properties");
}

interface DeclaredProperty {
  name: string;
  /** Expression of the value. */
  value: string;
  isRequired: boolean;
}

interface ObjectShape {
  properties: readonly DeclaredProperty[];
  /** Expression of a further member, including its key; undefined if none is allowed. */
  additional: string | undefined;
  /** Used only for objects without declared properties. */
  minimum: number;
  maximum: number;
}

function membersGrammar(json: JsonRules, shape: ObjectShape): string {
  const { properties, additional, minimum, maximum } = shape;
  if (properties.length === 0) {
    const members = additional === undefined ? "" : json.separated(additional, minimum, maximum);
    return json.rules.add(json.between("{", members, "}"));
  }
  // All keys share their quote, unless undeclared ones are allowed: their form is unknown.
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

/** Matches a key other than the names. Escapes are not allowed: a name could be written with them. */
function otherKey(json: JsonRules, names: readonly string[]): string {
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
  const going = names.filter((name) => name.length > written);
  const byNext = Map.groupBy(going, (name) => name[written] ?? "");
  const nexts = [...byNext.keys()].map((next) => next.codePointAt(0) ?? 0);
  const others = intersection(unescaped, complement(union(nexts.flatMap(single))));
  const alternatives = [`${characterClass(others)} ${anything}*`];
  for (const [next, alike] of byNext) {
    const isWritten = contains(unescaped, next.codePointAt(0) ?? 0);
    if (!isWritten) continue;
    alternatives.push(sequence(literal(next), keyFrom(rules, alike, anything, written + 1)));
  }
  const mayEnd = going.length === names.length;
  if (mayEnd) alternatives.push('""');
  return rules.add(alternatives.join(" | "));
}
