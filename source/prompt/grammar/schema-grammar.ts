// Conversion of a JSON schema into grammar rules: every text that matches them is valid.
import { isRecord } from "../../base/json.ts";
import type { GrammarRules } from "./gbnf.ts";
import { JsonRules } from "./json-rules.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import {
  ComparedTexts,
  maxConstants,
  refuseLargeEnum,
  refuseLargeSchema,
  refuseManyAlternatives,
  refuseManyBeginnings,
} from "./schema-bounds.ts";
import {
  below,
  invalidSchema,
  type SchemaPath,
  SchemaRefusal,
  unsupportedSchema,
} from "./schema-error.ts";
import {
  asSchema,
  propertiesOf,
  refuseEssentialKeywords,
  refuseUnsupportedKeywords,
  requiredOf,
  type Schema,
  type SchemaObject,
  schemaAt,
  schemasAt,
  type TypeName,
  typeNames,
  typesOf,
  withoutAnnotations,
} from "./schema-keywords.ts";
import type { Place } from "./schema-place.ts";
import { findReference } from "./schema-references.ts";
import { typeGrammar } from "./type-grammar.ts";

const maxLevels = 64;
/** Keeps the server's thread busy for less than 50 ms. */
const maxParts = 2_500;
const maxCharacters = 1_000_000;
/** Number of schemas that take as long to read as one pattern. */
const partsPerPattern = 25;
/** Values of an `enum` are read faster than schemas. */
const partsPerValue = 0.5;

export interface SchemaGrammarOptions {
  /** Ignores unsupported keywords instead of refusing them, except `not`, `if` and dynamic references. */
  isLenient?: boolean;
  /** Owner of the schema, for messages: `tool "f"`. */
  owner?: string;
  /** Allows Python's words, such as `True`. */
  hasPythonWords?: boolean;
}

/**
 * Adds the rules of a schema.
 *
 * - Declared properties come in their order. A schema with `properties` but without
 *   `additionalProperties` allows no others, and a tuple has all its items: stricter than the schema,
 *   and what its author means.
 * - `oneOf` is treated as `anyOf`, since a grammar cannot rule out a second match.
 * - Without a `type`, the keywords imply the types.
 *
 * @returns an expression for the value
 * @throws ProductError `PROMPT_SCHEMA_INVALID`, `PROMPT_SCHEMA_UNSUPPORTED` naming the place
 */
export function schemaGrammar(
  rules: GrammarRules,
  schema: unknown,
  options: SchemaGrammarOptions = {},
): string {
  return refusing(options, () => read(rules, schema, options).whole());
}

/**
 * Adds the rules of a schema's properties one by one; references resolve within the whole schema.
 *
 * @returns a function from a property to an expression for its value
 * @throws ProductError as `schemaGrammar` does; the returned function does too
 */
export function propertyGrammars(
  rules: GrammarRules,
  schema: unknown,
  options: SchemaGrammarOptions = {},
): (property: string) => string {
  const grammar = refusing(options, () => read(rules, schema, options));
  return (property) => refusing(options, () => grammar.property(property));
}

function read(rules: GrammarRules, schema: unknown, options: SchemaGrammarOptions): SchemaGrammar {
  const root = asSchema(schema, "");
  refuseLargeSchema(root);
  return new SchemaGrammar(rules, root, options);
}

function refusing<T>({ owner }: SchemaGrammarOptions, write: () => T): T {
  try {
    return write();
  } catch (error) {
    // Values and patterns inside a schema may be nested deeper than the call stack.
    const refusal =
      error instanceof RangeError ? unsupportedSchema("", "it is nested too deeply") : error;
    throw refusal instanceof SchemaRefusal ? refusal.toProductError(owner) : refusal;
  }
}

class SchemaGrammar {
  readonly #rules: GrammarRules;
  readonly #json: JsonRules;
  readonly #root: Schema;
  readonly #isLenient: boolean;
  readonly #references = new Map<SchemaPath, { name: string; isImpossible: boolean }>();
  /** References that lead directly to other references. */
  readonly #aliases = new Map<SchemaPath, Set<SchemaPath>>();
  readonly #compared = new ComparedTexts();
  #count = 0;

  constructor(rules: GrammarRules, root: Schema, options: SchemaGrammarOptions) {
    this.#rules = rules;
    this.#json = new JsonRules(rules, options.hasPythonWords);
    this.#root = root;
    this.#isLenient = options.isLenient ?? false;
  }

  whole(): string {
    return this.#value(this.#root, "");
  }

  property(name: string): string {
    const properties = isRecord(this.#root) ? propertiesOf(this.#root, "") : [];
    const [, schema] = properties.find(([each]) => each === name) ?? [];
    return this.#value(schema ?? true, below("", "properties", name));
  }

  #value(schema: Schema, path: SchemaPath): string {
    const value = this.#reference(schema, path, { path, depth: 0, owner: undefined });
    if (value === undefined) throw invalidSchema(path, "no value is valid");
    this.#spend(0);
    for (const path of this.#aliases.keys()) this.#refuseCircle(path, path, new Set());
    return value;
  }

  /** Returns undefined if no value is valid. */
  readonly #visit = (schema: Schema, place: Place): string | undefined => {
    this.#spend(1);
    if (place.depth > maxLevels) {
      throw unsupportedSchema(place.path, `it has more than ${maxLevels} levels`);
    }
    if (schema === true) return this.#json.value;
    if (schema === false) return undefined;
    const refuse = this.#isLenient ? refuseEssentialKeywords : refuseUnsupportedKeywords;
    refuse(schema, place.path);
    return this.#visitObject(schema, place);
  };

  #spend(parts: number, path: SchemaPath = ""): void {
    this.#count += parts;
    if (this.#count > maxParts) {
      throw unsupportedSchema(path, `it is too large: it has more than ${maxParts} parts`);
    }
    if (this.#rules.size > maxCharacters) {
      throw unsupportedSchema(
        path,
        `it is too large: its grammar has more than ${maxCharacters} characters`,
      );
    }
  }

  #visitObject(schema: SchemaObject, place: Place): string | undefined {
    const { $ref, ...beside } = schema;
    if ($ref !== undefined) {
      const found = findReference(this.#root, $ref, below(place.path, "$ref"));
      if (isUnbound(beside)) return this.#reference(found.schema, found.path, place);
      return this.#visit(this.#merge(found.schema, beside, place.path), deeper(place));
    }
    const all = schemasAt(schema, "allOf", place.path);
    if (all !== undefined) {
      this.#spend(all.length);
      const { allOf, ...rest } = schema;
      const [only] = all;
      if (all.length === 1 && only !== undefined && isUnbound(rest))
        return this.#visit(only, deeper(place));
      const merged = all
        .map((each, index) => this.#withoutReference(each, below(place.path, "allOf", index), 0))
        .reduce<Schema>((first, second) => this.#merge(first, second, place.path), rest);
      return this.#visit(merged, deeper(place));
    }
    for (const key of ["anyOf", "oneOf"]) {
      const alternatives = schemasAt(schema, key, place.path);
      if (alternatives === undefined) continue;
      const rest = Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));
      const constants = isUnbound(rest) ? plainConstants(alternatives) : undefined;
      const most = constants === undefined ? undefined : maxConstants;
      refuseManyAlternatives(alternatives.length, key, below(place.path, key), most);
      if (constants !== undefined) return this.#oneOf(constants, place.path);
      return this.#either(alternatives, rest, below(place.path, key), place);
    }
    return this.#values(schema, place);
  }

  #either(alternatives: Schema[], rest: SchemaObject, path: SchemaPath, place: Place) {
    const fitting = alternatives.flatMap((each, index) => {
      const at = { ...deeper(place), path: below(path, index) };
      const whole = isUnbound(rest)
        ? each
        : this.#merge(this.#withoutReference(each, at.path, 0), rest, at.path);
      return this.#visit(whole, at) ?? [];
    });
    return fitting.length === 0 ? undefined : this.#anyOf(fitting, path);
  }

  /** Replaces references by their targets, so that a schema can be merged with another. */
  #withoutReference(schema: Schema, path: SchemaPath, depth: number): Schema {
    if (!isRecord(schema) || schema.$ref === undefined) return schema;
    if (depth > maxLevels) throw invalidSchema(path, "it refers to itself endlessly");
    const { $ref, ...beside } = schema;
    const found = findReference(this.#root, $ref, below(path, "$ref"));
    return this.#merge(this.#withoutReference(found.schema, found.path, depth + 1), beside, path);
  }

  #merge(first: Schema, second: Schema, path: SchemaPath): Schema {
    return mergeSchemas(first, second, path, this.#compared);
  }

  #reference(schema: Schema, path: SchemaPath, place: Place): string | undefined {
    if (place.owner !== undefined) {
      const aliases = this.#aliases.get(place.owner) ?? new Set();
      this.#aliases.set(place.owner, aliases.add(path));
    }
    const known = this.#references.get(path);
    if (known !== undefined) return known.isImpossible ? undefined : known.name;
    const reference = { name: this.#rules.reserve(), isImpossible: false };
    this.#references.set(path, reference);
    const value = this.#visit(schema, { path, depth: place.depth + 1, owner: path });
    reference.isImpossible = value === undefined;
    this.#rules.define(reference.name, value ?? '""');
    return value === undefined ? undefined : reference.name;
  }

  /** Refuses a reference that leads back to itself without a list or an object in between. */
  #refuseCircle(path: SchemaPath, start: SchemaPath, seen: Set<SchemaPath>): void {
    for (const next of this.#aliases.get(path) ?? []) {
      if (next === start) throw invalidSchema(start, "it refers to itself endlessly");
      if (seen.has(next)) continue;
      seen.add(next);
      this.#refuseCircle(next, start, seen);
    }
  }

  #values(schema: SchemaObject, place: Place): string | undefined {
    const types = typesOf(schema, place.path);
    const listed = listedValues(schema, place.path);
    if (listed !== undefined) {
      this.#spend(listed.length * partsPerValue, below(place.path, "enum"));
      const fitting = listed.filter(
        (value) => types === undefined || types.some((type) => isOf(value, type)),
      );
      return fitting.length === 0 ? undefined : this.#oneOf(fitting, below(place.path, "enum"));
    }
    if (typeof schema.pattern === "string") this.#spend(partsPerPattern, place.path);
    const meant = types ?? meantTypes(schema, place.path);
    if (meant.length === typeNames.length) return this.#json.value;
    const context = { json: this.#json, isLenient: this.#isLenient, visit: this.#visit };
    const fitting = meant.flatMap((type) => typeGrammar(type, schema, place, context) ?? []);
    return fitting.length === 0 ? undefined : this.#anyOf(fitting, place.path);
  }

  #oneOf(values: readonly unknown[], path: SchemaPath): string {
    const nested = values.filter((value) => typeof value === "object" && value !== null);
    refuseManyAlternatives(nested.length, "enum", path);
    return this.#anyOf(
      values.map((value) => this.#json.constant(value)),
      path,
    );
  }

  #anyOf(expressions: readonly string[], path: SchemaPath): string {
    const rule = this.#rules.either(expressions);
    refuseManyBeginnings(this.#rules.alternatives, path);
    return rule;
  }
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

/** Returns the values of alternatives that are no lists or objects, as an `enum` would list them. */
function plainConstants(alternatives: readonly Schema[]): unknown[] | undefined {
  const values: unknown[] = [];
  for (const alternative of alternatives) {
    if (!isRecord(alternative)) return undefined;
    const { const: value, ...rest } = alternative;
    const isPlain = value !== undefined && (typeof value !== "object" || value === null);
    if (!isPlain || !isUnbound(rest)) return undefined;
    values.push(value);
  }
  return values.length === 0 ? undefined : values;
}

/** Returns true if a schema accepts any value. */
function isUnbound(schema: SchemaObject): boolean {
  return Object.keys(withoutAnnotations(schema)).length === 0;
}

function listedValues(schema: SchemaObject, path: SchemaPath): unknown[] | undefined {
  const constant = "const" in schema ? [schema.const] : undefined;
  if (schema.enum === undefined) return constant;
  if (!Array.isArray(schema.enum) || schema.enum.length === 0) {
    throw invalidSchema(below(path, "enum"), "it must be a list of values");
  }
  refuseLargeEnum(schema.enum, below(path, "enum"));
  const texts = constant?.map((value) => JSON.stringify(value));
  return schema.enum.filter((value) => texts?.includes(JSON.stringify(value)) ?? true);
}

function isOf(value: unknown, type: TypeName): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

const keywordsOfTypes: ReadonlyArray<readonly [TypeName, readonly string[]]> = [
  [
    "object",
    [
      "properties",
      "required",
      "additionalProperties",
      "propertyNames",
      "minProperties",
      "maxProperties",
    ],
  ],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** Returns the types that a schema without `type` implies; all types if nothing implies any. */
function meantTypes(schema: SchemaObject, path: SchemaPath): TypeName[] {
  // Also refuses malformed keywords, whatever the type is.
  propertiesOf(schema, path);
  requiredOf(schema, path);
  schemaAt(schema, "propertyNames", path);
  const meant = keywordsOfTypes
    .filter(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined))
    .map(([type]) => type);
  if (meant.length === 0) return [...typeNames];
  return schema.nullable === true ? ["null", ...meant] : meant;
}
