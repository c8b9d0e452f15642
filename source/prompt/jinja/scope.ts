// The variables that a part of a template sees: its own, and those around it.
import type { Value } from "./values.ts";

export class Scope {
  readonly #around: Scope | undefined;
  readonly #own: Map<string, Value>;

  constructor(around: Scope | undefined, own: Map<string, Value> = new Map()) {
    this.#around = around;
    this.#own = own;
  }

  get(name: string): Value | undefined {
    const own = this.#own.get(name);
    return own === undefined ? this.#around?.get(name) : own;
  }

  /** Sets it here: what is around keeps its own. */
  set(name: string, value: Value): void {
    this.#own.set(name, value);
  }
}
