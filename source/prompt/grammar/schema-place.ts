// Where in a schema the work is, and what each kind of value needs for its grammar.
import type { JsonRules } from "./json-rules.ts";
import { below, type SchemaPath } from "./schema-error.ts";
import { countAt, type Schema, type SchemaObject } from "./schema-keywords.ts";

export interface Place {
  path: SchemaPath;
  depth: number;
  /** The reference whose value this is, with nothing in between. */
  owner: SchemaPath | undefined;
}

export interface TypeContext {
  json: JsonRules;
  /** What a grammar cannot keep is left out instead of refused. */
  isLenient: boolean;
  /** Grammar of a schema inside; undefined where no value fits. */
  visit: (schema: Schema, place: Place) => string | undefined;
}

/** The place of a schema within a list or an object. */
export function inside(place: Place, ...keys: Array<string | number>): Place {
  return { path: below(place.path, ...keys), depth: place.depth + 1, owner: undefined };
}

export interface CountBounds {
  minimum: number;
  /** Perhaps infinity. */
  maximum: number;
}

/** `minLength` and `maxLength` and their like. */
export function countBounds(
  schema: SchemaObject,
  of: "Length" | "Items" | "Properties",
  path: SchemaPath,
): CountBounds {
  return {
    minimum: countAt(schema, `min${of}`, path) ?? 0,
    maximum: countAt(schema, `max${of}`, path) ?? Number.POSITIVE_INFINITY,
  };
}
