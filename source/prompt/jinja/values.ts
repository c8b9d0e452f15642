// Values of a template, with Python's types, and arguments of its functions. Integers are numbers; floats
// are boxed, since Python prints 1.0 where an integer prints 1.
import type { RenderBudget } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";

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

/** Result of `namespace()`: the only value whose attributes a template can set. */
export class Namespace {
  readonly entries: Map<Key, Value>;
  constructor(entries: Map<Key, Value>) {
    this.entries = entries;
  }
}

export class Callable {
  readonly name: string;
  readonly call: (args: Arguments, run: Run) => Value;
  /** Attributes such as a macro's name. */
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

/** Value that has only attributes, such as `loop`. */
export abstract class AttributeObject {
  abstract attribute(name: string): Value | undefined;
}

/** Missing name or member: prints nothing, and fails in any other use. */
export class Undefined {
  /** Reason, such as `'x' is undefined`. */
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** @throws TemplateFault if a dictionary cannot have this key */
export function keyOf(value: Value): Key {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Float) return value.value;
  throw new TemplateFault(`a ${typeName(value)} cannot be a key of a dictionary`);
}

/** Returns Python's name of the type, for messages. */
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

/** Returns a number of either type, including true and false. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  return value instanceof Float ? value.value : undefined;
}

/** Returns the value, or an undefined one with that reason; none is a value. */
export function orUndefined(value: Value | undefined, reason: string): Value {
  return value === undefined ? new Undefined(reason) : value;
}

/** @throws TemplateFault with the reason if the value is undefined */
export function refuseUndefined(value: Value): void {
  if (value instanceof Undefined) throw new TemplateFault(value.reason);
}

/** Converts JSON values into a template's values. */
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
      throw new TemplateFault(`a ${typeof value} is not supported in templates`);
  }
}

/** Interface of a rendering for the functions of its template. */
export interface Run {
  readonly budget: RenderBudget;
  /** Time for `strftime_now`. */
  readonly now: Date;
  filter(name: string, input: Value, args: Arguments): Value;
  test(name: string, input: Value, args: Arguments): boolean;
  /** Returns `value.name`. */
  attribute(value: Value, name: string): Value;
}

/** A filter: `input | name(arguments)`. */
export type Filter = (input: Value, args: Arguments, run: Run) => Value;

/** Arguments of a call. */
export class Arguments {
  static readonly none = new Arguments([]);
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;

  constructor(positional: readonly Value[], named: ReadonlyMap<string, Value> = new Map()) {
    this.positional = positional;
    this.named = named;
  }

  /** Returns the arguments without the first `count` positional ones. */
  from(count: number): Arguments {
    return new Arguments(this.positional.slice(count), this.named);
  }

  /** Returns the argument at an index or with a name. */
  get(index: number, name: string): Value | undefined {
    return this.positional[index] ?? (index < this.positional.length ? null : this.named.get(name));
  }

  need(index: number, name: string): Value {
    const value = this.get(index, name);
    if (value === undefined) throw new TemplateFault(`its argument \`${name}\` is missing`);
    return value;
  }

  /** @throws TemplateFault if it is not a text */
  text(index: number, name: string, byDefault?: string): string {
    const value = this.get(index, name);
    if (value === undefined && byDefault !== undefined) return byDefault;
    if (typeof value === "string") return value;
    if (value instanceof Undefined) throw new TemplateFault(value.reason);
    throw this.#wrong(name, "a text", value);
  }

  /** @throws TemplateFault if it is not an integer */
  integer(index: number, name: string, byDefault?: number): number {
    const value = this.get(index, name);
    if (value === undefined && byDefault !== undefined) return byDefault;
    const number = value === undefined ? undefined : numberOf(value);
    if (number !== undefined && Number.isInteger(number)) return number;
    if (value instanceof Undefined) throw new TemplateFault(value.reason);
    throw this.#wrong(name, "a whole number", value);
  }

  flag(index: number, name: string, byDefault = false): boolean {
    const value = this.get(index, name);
    return value === undefined ? byDefault : isTrue(value);
  }

  #wrong(name: string, wanted: string, value: Value | undefined): TemplateFault {
    const got = value === undefined ? "is missing" : `is ${typeName(value)}, not ${wanted}`;
    return new TemplateFault(`its argument \`${name}\` ${got}`);
  }
}
