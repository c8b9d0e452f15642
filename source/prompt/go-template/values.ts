// Values of a template: Go's types, as far as conversations need them.
import { TemplateText } from "./template-text.ts";

/**
 * A bigint is Go's int, a number its float64. `null` is a nil in a map or a list, `undefined` the nil
 * that a pipeline turns it into; they differ in field lookups.
 */
export type GoValue =
  | undefined
  | null
  | boolean
  | bigint
  | number
  | TemplateText
  | GoList
  | GoMap
  | GoStruct;

/** Go's slice: a window on an array, so that slicing costs nothing. */
export class GoList implements Iterable<GoValue> {
  readonly #items: readonly GoValue[];
  readonly #from: number;
  readonly length: number;
  /** Prints it, if its type has a String method in Ollama. */
  readonly printed: (() => TemplateText) | undefined;

  constructor(
    items: readonly GoValue[],
    printed?: () => TemplateText,
    from = 0,
    to = items.length,
  ) {
    this.#items = items;
    this.#from = from;
    this.length = to - from;
    this.printed = printed;
  }

  at(index: number): GoValue {
    return this.#items[this.#from + index];
  }

  slice(from: number, to: number): GoList {
    return new GoList(this.#items, undefined, this.#from + from, this.#from + to);
  }

  *[Symbol.iterator](): Generator<GoValue> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index);
  }
}

/** Go's `map[string]any` with untrusted keys. Its JSON keeps the order of the entries. */
export class GoMap {
  readonly entries: ReadonlyMap<string, GoValue>;
  readonly printed: ((map: GoMap) => TemplateText) | undefined;

  constructor(entries: ReadonlyMap<string, GoValue>, printed?: (map: GoMap) => TemplateText) {
    this.entries = entries;
    this.printed = printed;
  }

  /** Entries in Go's order: by the bytes of the keys. */
  get sorted(): Array<[string, GoValue]> {
    return [...this.entries].sort(([a], [b]) => compareBytes(a, b));
  }
}

/** Go's struct: an unknown field is an error, and it prints as JSON. */
export class GoStruct {
  readonly typeName: string;
  readonly fields: ReadonlyMap<string, GoValue>;
  /** Returns the value that its JSON shows. */
  readonly json: () => GoValue;

  constructor(typeName: string, fields: Record<string, GoValue>, json: () => GoValue) {
    this.typeName = typeName;
    this.fields = new Map(Object.entries(fields));
    this.json = json;
  }
}

export function isNil(value: GoValue): value is undefined | null {
  return value === undefined || value === null;
}

/** Returns Go's name of the value's type, for messages. */
export function typeName(value: GoValue): string {
  if (isNil(value)) return "nil";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "float64";
  }
  if (value instanceof TemplateText) return "string";
  if (value instanceof GoList) return "[]interface {}";
  if (value instanceof GoMap) return "map[string]interface {}";
  return value.typeName;
}

/** Returns false for false, zero, nil and empty values, as `if` does. */
export function isTrue(value: GoValue): boolean {
  if (isNil(value)) return false;
  switch (typeof value) {
    case "boolean":
      return value;
    case "bigint":
      return value !== 0n;
    case "number":
      return value !== 0;
  }
  if (value instanceof TemplateText) return value.pieces.length > 0;
  if (value instanceof GoList) return value.length > 0;
  if (value instanceof GoMap) return value.entries.size > 0;
  return true;
}

/** Compares in the order of Go's strings. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
