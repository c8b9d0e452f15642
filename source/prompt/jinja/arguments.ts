// The arguments of a call, and how functions take them apart.
import { TemplateFault } from "../template-fault.ts";
import { isTrue, numberOf, typeName, Undefined, type Value } from "./values.ts";

export class Arguments {
  static readonly none = new Arguments([]);
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;

  constructor(positional: readonly Value[], named: ReadonlyMap<string, Value> = new Map()) {
    this.positional = positional;
    this.named = named;
  }

  /** Without the first `count` positional ones. */
  from(count: number): Arguments {
    return new Arguments(this.positional.slice(count), this.named);
  }

  /** @throws TemplateFault for arguments that are too many or that none of the names fits */
  check(names: readonly string[]): void {
    if (this.positional.length > names.length) {
      throw new TemplateFault(
        `it takes at most ${names.length} arguments, ${this.positional.length} are given`,
      );
    }
    for (const name of this.named.keys()) {
      if (!names.includes(name)) throw new TemplateFault(`it has no argument \`${name}\``);
    }
  }

  /** The argument at a place or by its name. */
  get(index: number, name: string): Value | undefined {
    return this.positional[index] ?? (index < this.positional.length ? null : this.named.get(name));
  }

  need(index: number, name: string): Value {
    const value = this.get(index, name);
    if (value === undefined) throw new TemplateFault(`its argument \`${name}\` is missing`);
    return value;
  }

  /** @throws TemplateFault where it is none */
  text(index: number, name: string, byDefault?: string): string {
    const value = this.get(index, name);
    if (value === undefined && byDefault !== undefined) return byDefault;
    if (typeof value === "string") return value;
    if (value instanceof Undefined) throw new TemplateFault(value.reason);
    throw this.#wrong(name, "a text", value);
  }

  /** @throws TemplateFault where it is none */
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
