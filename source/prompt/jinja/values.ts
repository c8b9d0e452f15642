// The values of a template, with Python's types. Integers are numbers, since templates count with
// them; floats are boxed, since Python prints 1.0 where an integer prints 1.
import { TemplateFault } from "../template-fault.ts";
import type { Arguments } from "./arguments.ts";
import type { Run } from "./run.ts";

export type Value =
  | null
  | boolean
  | number
  | string
  | Float
  | Value[]
  | Tuple
  | Dict
  | Namespace
  | Callable
  | AttributeObject
  | Undefined;

export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class Tuple {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

export type Key = string | number | boolean | null;

export class Dict {
  readonly entries: Map<Key, Value>;
  constructor(entries: Map<Key, Value> = new Map()) {
    this.entries = entries;
  }
}

/** What `namespace()` makes: the only value whose attributes a template can set. */
export class Namespace {
  readonly entries: Map<Key, Value>;
  constructor(entries: Map<Key, Value>) {
    this.entries = entries;
  }
}

export class Callable {
  readonly name: string;
  readonly call: (args: Arguments, run: Run) => Value;
  /** A macro's name and the like. */
  readonly attributes: ReadonlyMap<string, Value>;
  constructor(
    name: string,
    call: (args: Arguments, run: Run) => Value,
    attributes: ReadonlyMap<string, Value> = new Map(),
  ) {
    this.name = name;
    this.call = call;
    this.attributes = attributes;
  }
}

/** A value that has attributes alone, such as `loop`. */
export abstract class AttributeObject {
  abstract attribute(name: string): Value | undefined;
}

/** A name or a member that is not there: prints nothing, fails when more is asked of it. */
export class Undefined {
  /** Such as `'x' is undefined`. */
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** @throws TemplateFault where the dictionary cannot have it as a key */
export function keyOf(value: Value): Key {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Float) return value.value;
  throw new TemplateFault(`a ${typeName(value)} cannot be a key of a dictionary`);
}

/** Python's name of the type, for messages. */
export function typeName(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "int";
  if (typeof value === "string") return "str";
  if (value instanceof Float) return "float";
  if (Array.isArray(value)) return "list";
  if (value instanceof Tuple) return "tuple";
  if (value instanceof Dict) return "dict";
  if (value instanceof Namespace) return "namespace";
  if (value instanceof Callable) return "function";
  if (value instanceof Undefined) return "undefined";
  return "object";
}

export function isTrue(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  if (typeof value === "string") return value !== "";
  if (value instanceof Float) return value.value !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Dict) return value.entries.size > 0;
  return true;
}

/** A number of either type, true and false among them. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  return value instanceof Float ? value.value : undefined;
}

/** The value, or one that is undefined for that reason; none is a value. */
export function orUndefined(value: Value | undefined, reason: string): Value {
  return value === undefined ? new Undefined(reason) : value;
}

/** @throws TemplateFault with the reason where the value is not there */
export function refuseUndefined(value: Value): void {
  if (value instanceof Undefined) throw new TemplateFault(value.reason);
}

/** JSON values as a template sees them. */
export function fromJson(value: unknown): Value {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isInteger(value) ? value : new Float(value);
    case "object":
      if (value === null) return null;
      if (Array.isArray(value)) return value.map(fromJson);
      return new Dict(new Map(Object.entries(value).map(([key, item]) => [key, fromJson(item)])));
    default:
      throw new TemplateFault(`a ${typeof value} is no value of a template`);
  }
}
