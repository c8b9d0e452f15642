// Grammar for objects.
import { type DeclaredProperty, membersGrammar, otherKey } from "./member-grammar.ts";
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

/** Keys of objects that allow others share no beginning, so each costs twice as much. */
const mostOptionalInOpen = 120;

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
  const most = isOpen ? mostOptionalInOpen : undefined;
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
