// Position in a schema, and the context that each type's grammar needs.
import type { JsonRules } from "./json-rules.ts";
import { below, type SchemaPath } from "./schema-error.ts";
import { countAt, type Schema, type SchemaObject } from "./schema-keywords.ts";

export interface Place {
  path: SchemaPath;
  depth: number;
  /** Reference that leads directly to this value. */
  owner: SchemaPath | undefined;
}

export interface TypeContext {
  json: JsonRules;
  /** Ignores unsupported keywords instead of refusing them. */
  isLenient: boolean;
  /** Returns the grammar of an inner schema; undefined if no value is valid. */
  visit: (schema: Schema, place: Place) => string | undefined;
}

/** Returns the place of a schema inside a list or an object. */
export function inside(place: Place, ...keys: Array<string | number>): Place {
  return { path: below(place.path, ...keys), depth: place.depth + 1, owner: undefined };
}

export interface CountBounds {
  minimum: number;
  /** May be infinity. */
  maximum: number;
}

/** Reads `minLength` and `maxLength` and the like. */
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
