// Grammar for lists and tuples.
import { sequence } from "./gbnf.ts";
import type { JsonRules } from "./json-rules.ts";
import { type SchemaObject, schemaAt, schemasAt } from "./schema-keywords.ts";
import { countBounds, inside, type Place, type TypeContext } from "./schema-place.ts";

/** Returns undefined if no list is valid. */
export function listGrammar(
  schema: SchemaObject,
  place: Place,
  context: TypeContext,
): string | undefined {
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
