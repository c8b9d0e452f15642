// Evaluator of a template's expressions, and scopes of variables.
import type { RenderBudget } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import { filterTable } from "./filters.ts";
import { Loop } from "./globals.ts";
import { attributeOf, itemOf } from "./members.ts";
import { binary, compare, concat } from "./operators.ts";
import { printValue } from "./print-value.ts";
import { itemsOf, sliceOf } from "./sequences.ts";
import type { Argument, Expression } from "./syntax-tree.ts";
import { testTable } from "./tests.ts";
import {
  Arguments,
  Callable,
  Dict,
  Float,
  isTrue,
  keyOf,
  numberOf,
  orUndefined,
  type Run,
  refuseUndefined,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/** Variables visible to a part of a template: its own, and those of the scopes around it. */
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

  /** Sets a variable here; outer scopes keep theirs. */
  set(name: string, value: Value): void {
    this.#own.set(name, value);
  }
}

/** Evaluator of one rendering, which charges everything to its budget. */
export class Evaluator implements Run {
  readonly budget: RenderBudget;
  readonly now: Date;
  /** Index into the source of the part that is being run. */
  at = 0;

  constructor(budget: RenderBudget, now: Date) {
    this.budget = budget;
    this.now = now;
  }

  filter(name: string, input: Value, args: Arguments): Value {
    const filter = filterTable.get(name);
    if (filter === undefined) throw new TemplateFault(`there is no filter \`${name}\``);
    return filter(input, args, this);
  }

  test(name: string, input: Value, args: Arguments): boolean {
    const test = testTable.get(name);
    if (test === undefined) throw new TemplateFault(`there is no test \`${name}\``);
    return test(input, args, this);
  }

  attribute(value: Value, name: string): Value {
    return attributeOf(value, name);
  }

  /** @throws TemplateFault if the value is not a function */
  call(callee: Value, args: Arguments): Value {
    if (callee instanceof Callable) return callee.call(args, this);
    if (callee instanceof Loop && callee.again !== undefined) {
      return callee.again(args.need(0, "iterable"));
    }
    refuseUndefined(callee);
    throw new TemplateFault(`a value of type ${typeName(callee)} cannot be called`);
  }

  /** Evaluates the arguments of a call, spreading lists and dictionaries. */
  arguments(args: readonly Argument[], scope: Scope): Arguments {
    if (args.length === 0) return Arguments.none;
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const { name, spread, value } of args) {
      const given = this.value(value, scope);
      if (name !== undefined) named.set(name, given);
      else if (spread === "list") positional.push(...itemsOf(given, this));
      else if (spread === "dict") {
        if (!(given instanceof Dict)) throw new TemplateFault("`**` needs a dictionary");
        for (const [key, item] of given.entries) named.set(printValue(key, this.budget), item);
      } else positional.push(given);
    }
    return new Arguments(positional, named);
  }

  /** @throws TemplateFault with its place in `at` */
  value(node: Expression, scope: Scope): Value {
    this.budget.step();
    switch (node.kind) {
      case "constant":
        return node.value;
      case "name":
        return orUndefined(scope.get(node.name), `\`${node.name}\` is undefined`);
      case "list":
        this.budget.items(node.items.length);
        return node.items.map((item) => this.value(item, scope));
      case "tuple":
        this.budget.items(node.items.length);
        return new Tuple(node.items.map((item) => this.value(item, scope)));
      case "dict":
        return this.#dict(node.entries, scope);
      case "concat":
        return node.items
          .map((item) => printValue(this.value(item, scope), this.budget))
          .reduce((left, right) => concat(left, right, this), "");
      case "attribute": {
        const object = this.value(node.object, scope);
        this.at = node.at;
        return attributeOf(object, node.name);
      }
      case "item": {
        const object = this.value(node.object, scope);
        const index = this.value(node.index, scope);
        this.at = node.at;
        return itemOf(object, index, this);
      }
      case "slice": {
        const object = this.value(node.object, scope);
        const [from, to, step] = [node.from, node.to, node.step].map((each) =>
          this.#bound(each, scope),
        );
        this.at = node.at;
        return sliceOf(object, { from, to, step }, this);
      }
      case "call": {
        const callee = this.value(node.callee, scope);
        const args = this.arguments(node.args, scope);
        this.at = node.at;
        return this.call(callee, args);
      }
      case "filter": {
        const input = this.value(node.input, scope);
        const args = this.arguments(node.args, scope);
        this.at = node.at;
        return this.filter(node.name, input, args);
      }
      case "test": {
        const input = this.value(node.input, scope);
        const args = this.arguments(node.args, scope);
        this.at = node.at;
        if (node.name === "filter") return filterTable.has(String(input)) !== node.negated;
        if (node.name === "test") return testTable.has(String(input)) !== node.negated;
        return this.test(node.name, input, args) !== node.negated;
      }
      case "not":
        return !isTrue(this.value(node.operand, scope));
      case "negative":
      case "positive":
        return this.#signed(node, scope);
      case "and": {
        const left = this.value(node.left, scope);
        return isTrue(left) ? this.value(node.right, scope) : left;
      }
      case "or": {
        const left = this.value(node.left, scope);
        return isTrue(left) ? left : this.value(node.right, scope);
      }
      case "binary": {
        const left = this.value(node.left, scope);
        const right = this.value(node.right, scope);
        this.at = node.at;
        return binary(node.operator, left, right, this);
      }
      case "compare":
        return this.#compare(node, scope);
      case "condition":
        if (isTrue(this.value(node.test, scope))) return this.value(node.value, scope);
        if (node.otherwise !== undefined) return this.value(node.otherwise, scope);
        return new Undefined("the condition does not hold, and there is no `else`");
    }
  }

  #compare(node: Extract<Expression, { kind: "compare" }>, scope: Scope): boolean {
    let left = this.value(node.first, scope);
    for (const { operator, operand } of node.others) {
      const right = this.value(operand, scope);
      this.at = operand.at;
      if (!compare(operator, left, right, this)) return false;
      left = right;
    }
    return true;
  }

  #dict(entries: ReadonlyArray<readonly [Expression, Expression]>, scope: Scope): Dict {
    this.budget.items(entries.length);
    const dict = new Dict();
    for (const [key, value] of entries) {
      dict.entries.set(keyOf(this.value(key, scope)), this.value(value, scope));
    }
    return dict;
  }

  #bound(node: Expression | undefined, scope: Scope): number | undefined {
    if (node === undefined) return undefined;
    const value = this.value(node, scope);
    if (value === null) return undefined;
    const number = value instanceof Float ? undefined : numberOf(value);
    if (number === undefined)
      throw new TemplateFault(`a slice needs integers, not ${typeName(value)}`);
    return number;
  }

  #signed(
    { kind, operand, at }: Extract<Expression, { operand: Expression }>,
    scope: Scope,
  ): Value {
    const value = this.value(operand, scope);
    this.at = at;
    refuseUndefined(value);
    const number = numberOf(value);
    if (number === undefined) throw new TemplateFault(`a ${typeName(value)} cannot have a sign`);
    const signed = kind === "negative" ? -number : number;
    return value instanceof Float ? new Float(signed) : signed;
  }
}
