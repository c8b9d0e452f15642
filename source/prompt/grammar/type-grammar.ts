// Grammar for the values of one type: numbers, strings and lists; object-grammar.ts has objects.
import { sequence } from "./gbnf.ts";
import type { JsonRules } from "./json-rules.ts";
import { decimalRange, integerRange, type NumberBounds } from "./number-range.ts";
import { objectGrammar } from "./object-grammar.ts";
import { patternGrammar } from "./pattern-grammar.ts";
import { PatternError } from "./pattern-syntax.ts";
import { below, invalidSchema, type SchemaPath, unsupportedSchema } from "./schema-error.ts";
import {
  numberAt,
  type SchemaObject,
  schemaAt,
  schemasAt,
  type TypeName,
  textAt,
} from "./schema-keywords.ts";
import { countBounds, inside, type Place, type TypeContext } from "./schema-place.ts";

/** Returns undefined if no value of the type is valid. */
export function typeGrammar(
  type: TypeName,
  schema: SchemaObject,
  place: Place,
  context: TypeContext,
): string | undefined {
  const { json } = context;
  switch (type) {
    case "null":
      return json.null;
    case "boolean":
      return json.boolean;
    case "integer":
    case "number":
      return numberGrammar(type, schema, place.path, context);
    case "string":
      return stringGrammar(schema, place.path, context);
    case "array":
      return listGrammar(schema, place, context);
    case "object":
      return objectGrammar(schema, place, context);
  }
}

/** Returns undefined if no number is valid. */
function numberGrammar(
  type: "integer" | "number",
  schema: SchemaObject,
  path: SchemaPath,
  { json, isLenient }: TypeContext,
): string | undefined {
  const step = numberAt(schema, "multipleOf", path);
  if (step !== undefined && step <= 0) {
    throw invalidSchema(below(path, "multipleOf"), "it must be greater than 0");
  }
  // Multiples of 1, 0.1, 0.01 and so on are numbers with a fixed number of decimals.
  const digits = step === undefined ? undefined : Math.round(-Math.log10(step));
  const isStepKept = digits === undefined || (digits >= 0 && Number(`1e${-digits}`) === step);
  if (!isStepKept && !isLenient) {
    throw unsupportedSchema(below(path, "multipleOf"), "only 1, 0.1, 0.01 and so on are supported");
  }
  const fraction = isStepKept ? digits : undefined;
  const bounds = boundsOf(schema, path);
  const isBound = bounds.minimum !== undefined || bounds.maximum !== undefined;
  if (type === "integer" || fraction === 0) {
    return isBound ? integerRange(json.rules, bounds) : json.integer;
  }
  return isBound || fraction !== undefined
    ? decimalRange(json.rules, bounds, fraction)
    : json.number;
}

function boundsOf(schema: SchemaObject, path: SchemaPath): NumberBounds {
  const minimum = boundOf(schema, "minimum", "exclusiveMinimum", path, Math.max);
  const maximum = boundOf(schema, "maximum", "exclusiveMaximum", path, Math.min);
  return {
    minimum: minimum.bound,
    exclusiveMinimum: minimum.isExclusive,
    maximum: maximum.bound,
    exclusiveMaximum: maximum.isExclusive,
  };
}

/** Returns the tighter of two bounds; in draft 4 the exclusive one is a boolean. */
function boundOf(
  schema: SchemaObject,
  key: string,
  exclusiveKey: string,
  path: SchemaPath,
  tighter: (first: number, second: number) => number,
): { bound: number | undefined; isExclusive: boolean } {
  const bound = numberAt(schema, key, path);
  if (typeof schema[exclusiveKey] === "boolean")
    return { bound, isExclusive: schema[exclusiveKey] };
  const exclusive = numberAt(schema, exclusiveKey, path);
  if (exclusive === undefined) return { bound, isExclusive: false };
  const isExclusive = bound === undefined || tighter(bound, exclusive) === exclusive;
  return { bound: isExclusive ? exclusive : bound, isExclusive };
}

/** Returns undefined if no string is valid. */
function stringGrammar(
  schema: SchemaObject,
  path: SchemaPath,
  { json, isLenient }: TypeContext,
): string | undefined {
  const length = countBounds(schema, "Length", path);
  const { minimum, maximum } = length;
  if (minimum > maximum) return undefined;
  const pattern = textAt(schema, "pattern", path);
  const format = stringFormats.get(textAt(schema, "format", path) ?? "");
  if (pattern !== undefined) {
    try {
      return json.quoted(patternGrammar(json.rules, pattern, length, json.character));
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const at = below(path, "pattern");
      if (error.isInvalid) throw invalidSchema(at, error.message);
      // The format takes the pattern's place, less exactly.
      if (format === undefined && !isLenient) throw unsupportedSchema(at, error.message);
    }
  }
  if (format !== undefined) return json.quoted(format);
  if (minimum === 0 && maximum === Number.POSITIVE_INFINITY) return json.string;
  return json.quoted(json.rules.repeat(json.character, minimum, maximum));
}

const month31 = '("0" [13578] | "10" | "12") "-" ("0" [1-9] | [12] [0-9] | "3" [01])';
const month30 = '("0" [469] | "11") "-" ("0" [1-9] | [12] [0-9] | "30")';
const february = '"02-" ("0" [1-9] | [12] [0-9])';
const date = `[0-9]{4} "-" (${month31} | ${month30} | ${february})`;
const clock = '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9]';
const time = `${clock} ":" [0-5] [0-9] ("." [0-9]{1,9})? ("Z" | [+-] ${clock})`;
const label = "[a-zA-Z0-9] ([a-zA-Z0-9-]{0,61} [a-zA-Z0-9])?";
const byte = '("25" [0-5] | "2" [0-4] [0-9] | "1" [0-9] [0-9] | [1-9]? [0-9])';

/**
 * Grammars for the content of strings with a `format`, by RFC 3339 (date and time), 4122 (uuid) and
 * the plain forms of 5321 (email) and 2673 (ipv4). Other formats are annotations without effect, as in
 * JSON Schema.
 */
const stringFormats: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date,
    time,
    "date-time": `${date} "T" ${time}`,
    uuid: '[0-9a-fA-F]{8} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{12}',
    email: `[a-zA-Z0-9_+-]{1,64} ("." [a-zA-Z0-9_+-]{1,64})? "@" (${label} "."){1,8} [a-zA-Z]{2,24}`,
    ipv4: `${byte} "." ${byte} "." ${byte} "." ${byte}`,
  }),
);

/** Returns undefined if no list is valid. */
function listGrammar(schema: SchemaObject, place: Place, context: TypeContext): string | undefined {
  const { json } = context;
  // Before draft 2020-12 a tuple was a list in `items`, followed by `additionalItems`.
  const isOldTuple = Array.isArray(schema.items);
  const tupleKey = isOldTuple ? "items" : "prefixItems";
  const tuple = schemasAt(schema, tupleKey, place.path) ?? [];
  const { minimum, maximum } = countBounds(schema, "Items", place.path);
  if (minimum > maximum) return undefined;
  const restKey = isOldTuple ? "additionalItems" : "items";
  const rest = schemaAt(schema, restKey, place.path) ?? tuple.length === 0;
  const item = context.visit(rest, inside(place, restKey));
  if (tuple.length === 0) {
    if (item === undefined) return minimum > 0 ? undefined : json.between("[", "", "]");
    return json.between("[", json.separated(item, minimum, maximum), "]");
  }
  const first = tuple.map((each, index) => context.visit(each, inside(place, tupleKey, index)));
  const least = schema.minItems === undefined ? Math.min(tuple.length, maximum) : minimum;
  const items = tupleItems(json, first, item, least, maximum);
  return items === undefined ? undefined : json.between("[", items, "]");
}

/** Returns the items of a tuple; those beyond the minimum are optional. */
function tupleItems(
  json: JsonRules,
  tuple: ReadonlyArray<string | undefined>,
  rest: string | undefined,
  least: number,
  most: number,
): string | undefined {
  const comma = sequence('","', json.space);
  const impossible = tuple.indexOf(undefined);
  const length = Math.min(impossible < 0 ? tuple.length : impossible, most);
  const isRestPossible = rest !== undefined && impossible < 0 && most > length;
  if (least > length && !isRestPossible) return undefined;
  let items = "";
  if (isRestPossible) {
    items = json.rules.repeat(sequence(comma, rest), Math.max(least - length, 0), most - length);
  }
  for (let index = length - 1; index >= 0; index -= 1) {
    const item = sequence(index > 0 ? comma : "", tuple[index] ?? "", items);
    items = index >= least ? `(${item})?` : item;
  }
  return items;
}
