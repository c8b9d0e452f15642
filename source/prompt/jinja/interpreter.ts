// Runs a parsed Jinja template on its variables, within a budget.
import type { RenderBudget } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import { filterTable } from "./filters.ts";
import { globalTable, Loop } from "./globals.ts";
import { attributeOf, itemOf } from "./members.ts";
import { binary, compare, concat } from "./operators.ts";
import { printValue } from "./print-value.ts";
import { Scope } from "./scope.ts";
import { itemsOf, sliceOf } from "./sequences.ts";
import type {
  Argument,
  Expression,
  FilterCall,
  MacroBody,
  Statement,
  Target,
} from "./syntax-tree.ts";
import { testTable } from "./tests.ts";
import {
  Arguments,
  Callable,
  Dict,
  Float,
  isTrue,
  type Key,
  keyOf,
  Namespace,
  numberOf,
  orUndefined,
  type Run,
  refuseUndefined,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/** How statements ended: whether the loop around them goes on. */
type Outcome = "next" | "break" | "continue";

type ForLoop = Extract<Statement, { kind: "for" }>;

/** Macros and recursive loops inside one another. */
const deepestCalls = 200;

/**
 * @throws TemplateFault with its place
 */
export function runJinja(
  statements: readonly Statement[],
  variables: ReadonlyMap<string, Value>,
  budget: RenderBudget,
  now: Date,
): string {
  const interpreter = new Interpreter(budget, now);
  try {
    return interpreter.run(statements, variables);
  } catch (error) {
    if (error instanceof TemplateFault) {
      error.offset ??= interpreter.at;
      throw error;
    }
    // Values inside values, or a chain of operators, as deep as the stack.
    if (error instanceof RangeError) throw new TemplateFault("it nests too deep", interpreter.at);
    throw error;
  }
}

class Interpreter implements Run {
  readonly budget: RenderBudget;
  readonly now: Date;
  /** Where the template is being run: an index into its source. */
  at = 0;
  #output: string[] = [];
  #depth = 0;

  constructor(budget: RenderBudget, now: Date) {
    this.budget = budget;
    this.now = now;
  }

  run(statements: readonly Statement[], variables: ReadonlyMap<string, Value>): string {
    const scope = new Scope(new Scope(undefined, new Map(globalTable)), new Map(variables));
    this.#runAll(statements, scope);
    return this.#output.join("");
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

  #write(text: string): void {
    this.budget.text(text.length);
    this.#output.push(text);
  }

  /** What the statements write, instead of writing it. */
  #capture(run: () => void): string {
    const outside = this.#output;
    this.#output = [];
    try {
      run();
      return this.#output.join("");
    } finally {
      this.#output = outside;
    }
  }

  #runAll(statements: readonly Statement[], scope: Scope): Outcome {
    for (const statement of statements) {
      const outcome = this.#run(statement, scope);
      if (outcome !== "next") return outcome;
    }
    return "next";
  }

  #run(statement: Statement, scope: Scope): Outcome {
    this.at = statement.at;
    this.budget.step();
    switch (statement.kind) {
      case "text":
        this.#write(statement.text);
        return "next";
      case "output":
        this.#write(printValue(this.#value(statement.value, scope), this.budget));
        return "next";
      case "if":
        return this.#runAll(
          isTrue(this.#value(statement.test, scope)) ? statement.body : statement.otherwise,
          scope,
        );
      case "for":
        return this.#loop(statement, this.#value(statement.list, scope), scope, 0);
      case "set":
        this.#assign(statement.target, this.#value(statement.value, scope), scope);
        return "next";
      case "set-block": {
        const text = this.#capture(() => this.#runAll(statement.body, new Scope(scope)));
        this.#assign(statement.target, this.#filtered(text, statement.filters, scope), scope);
        return "next";
      }
      case "filter-block": {
        const text = this.#capture(() => this.#runAll(statement.body, new Scope(scope)));
        this.#write(printValue(this.#filtered(text, statement.filters, scope), this.budget));
        return "next";
      }
      case "with": {
        const inner = new Scope(scope);
        const values = statement.bindings.map(({ value }) => this.#value(value, scope));
        for (const [index, { target }] of statement.bindings.entries()) {
          this.#assign(target, values[index] ?? null, inner);
        }
        return this.#runAll(statement.body, inner);
      }
      case "block":
        return this.#runAll(statement.body, scope);
      case "macro":
        scope.set(statement.macro.name, this.#macro(statement.macro, scope));
        return "next";
      case "call-block":
        return this.#callBlock(statement, scope);
      case "break":
      case "continue":
        return statement.kind;
    }
  }

  #loop(node: ForLoop, list: Value, scope: Scope, depth: number): Outcome {
    refuseNull(list);
    const items = this.#loopItems(node, list, scope);
    const again = node.recursive
      ? (inner: Value) =>
          this.#deeper(() => this.#capture(() => void this.#loop(node, inner, scope, depth + 1)))
      : undefined;
    const loop = new Loop(items, depth, again);
    if (items.length === 0) return this.#runAll(node.otherwise, new Scope(scope));
    for (const [index, item] of items.entries()) {
      this.budget.step();
      loop.index = index;
      const inner = new Scope(scope);
      inner.set("loop", loop);
      this.#assign(node.target, item, inner);
      if (this.#runAll(node.body, inner) === "break") break;
    }
    return "next";
  }

  #loopItems({ target, test }: ForLoop, list: Value, scope: Scope): readonly Value[] {
    const items = itemsOf(list, this);
    if (test === undefined) return items;
    return items.filter((item) => {
      const inner = new Scope(scope);
      this.#assign(target, item, inner);
      return isTrue(this.#value(test, inner));
    });
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === "name") {
      scope.set(target.name, value);
      return;
    }
    this.at = target.at;
    if (target.kind === "member") {
      const object = scope.get(target.object);
      if (!(object instanceof Namespace)) {
        throw new TemplateFault(
          `\`${target.object}\` is no namespace, so its members cannot be set`,
        );
      }
      object.entries.set(target.name, value);
      return;
    }
    const items = itemsOf(value, this);
    if (items.length !== target.items.length) {
      throw new TemplateFault(`${items.length} values do not fit ${target.items.length} names`);
    }
    for (const [index, item] of items.entries()) {
      const inner = target.items[index];
      if (inner !== undefined) this.#assign(inner, item, scope);
    }
  }

  #filtered(text: string, filters: readonly FilterCall[], scope: Scope): Value {
    return filters.reduce<Value>((value, { name, args, at }) => {
      const given = this.#arguments(args, scope);
      this.at = at;
      return this.filter(name, value, given);
    }, text);
  }

  #deeper<T>(run: () => T): T {
    if (this.#depth >= deepestCalls) {
      throw new TemplateFault(`macros call one another more than ${deepestCalls} deep`);
    }
    this.#depth += 1;
    const result = run();
    this.#depth -= 1;
    return result;
  }

  #macro({ name, parameters, body, reads }: MacroBody, scope: Scope): Callable {
    const call = (args: Arguments) =>
      this.#deeper(() => {
        const inner = new Scope(scope);
        const named = new Map(args.named);
        for (const [index, parameter] of parameters.entries()) {
          const value =
            index < args.positional.length ? args.positional[index] : named.get(parameter.name);
          named.delete(parameter.name);
          if (value !== undefined && !(value instanceof Undefined && parameter.byDefault)) {
            inner.set(parameter.name, value);
          } else if (parameter.byDefault !== undefined) {
            inner.set(parameter.name, this.#value(parameter.byDefault, inner));
          } else {
            inner.set(
              parameter.name,
              new Undefined(`parameter '${parameter.name}' was not provided`),
            );
          }
        }
        this.#setSpecials(name, inner, args, named, parameters.length, reads);
        return this.#capture(() => this.#runAll(body, inner));
      });
    return new Callable(name, call, new Map<string, Value>([["name", name]]));
  }

  #setSpecials(
    name: string,
    scope: Scope,
    args: Arguments,
    named: Map<string, Value>,
    count: number,
    reads: ReadonlySet<string>,
  ): void {
    if (reads.has("caller")) {
      scope.set("caller", orUndefined(named.get("caller"), "there is no `caller`"));
      named.delete("caller");
    }
    if (reads.has("varargs")) scope.set("varargs", new Tuple(args.positional.slice(count)));
    else if (args.positional.length > count) {
      throw new TemplateFault(`macro \`${name}\` takes not more than ${count} arguments`);
    }
    if (reads.has("kwargs")) scope.set("kwargs", new Dict(new Map<Key, Value>(named)));
    else if (named.size > 0) {
      throw new TemplateFault(`macro \`${name}\` has no argument \`${[...named.keys()][0]}\``);
    }
  }

  #callBlock(
    { call, caller, at }: Extract<Statement, { kind: "call-block" }>,
    scope: Scope,
  ): Outcome {
    if (call.kind !== "call") throw new TemplateFault("`call` needs a call", at);
    const callee = this.#value(call.callee, scope);
    const { positional, named } = this.#arguments(call.args, scope);
    const args = new Arguments(
      positional,
      new Map([...named, ["caller", this.#macro(caller, scope)]]),
    );
    this.at = at;
    this.#write(printValue(this.#call(callee, args), this.budget));
    return "next";
  }

  #call(callee: Value, args: Arguments): Value {
    if (callee instanceof Callable) return callee.call(args, this);
    if (callee instanceof Loop && callee.again !== undefined) {
      return callee.again(args.need(0, "iterable"));
    }
    refuseUndefined(callee);
    throw new TemplateFault(`a value of type ${typeName(callee)} cannot be called`);
  }

  #arguments(args: readonly Argument[], scope: Scope): Arguments {
    if (args.length === 0) return Arguments.none;
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const { name, spread, value } of args) {
      const given = this.#value(value, scope);
      if (name !== undefined) named.set(name, given);
      else if (spread === "list") positional.push(...itemsOf(given, this));
      else if (spread === "dict") {
        if (!(given instanceof Dict)) throw new TemplateFault("`**` needs a dictionary");
        for (const [key, item] of given.entries) named.set(printValue(key, this.budget), item);
      } else positional.push(given);
    }
    return new Arguments(positional, named);
  }

  #value(node: Expression, scope: Scope): Value {
    this.budget.step();
    switch (node.kind) {
      case "constant":
        return node.value;
      case "name":
        return orUndefined(scope.get(node.name), `\`${node.name}\` is undefined`);
      case "list":
        this.budget.items(node.items.length);
        return node.items.map((item) => this.#value(item, scope));
      case "tuple":
        this.budget.items(node.items.length);
        return new Tuple(node.items.map((item) => this.#value(item, scope)));
      case "dict":
        return this.#dict(node.entries, scope);
      case "concat":
        return node.items
          .map((item) => printValue(this.#value(item, scope), this.budget))
          .reduce((left, right) => concat(left, right, this), "");
      case "attribute": {
        const object = this.#value(node.object, scope);
        this.at = node.at;
        return attributeOf(object, node.name);
      }
      case "item": {
        const object = this.#value(node.object, scope);
        const index = this.#value(node.index, scope);
        this.at = node.at;
        return itemOf(object, index, this);
      }
      case "slice": {
        const object = this.#value(node.object, scope);
        const [from, to, step] = [node.from, node.to, node.step].map((each) =>
          this.#bound(each, scope),
        );
        this.at = node.at;
        return sliceOf(object, { from, to, step }, this);
      }
      case "call": {
        const callee = this.#value(node.callee, scope);
        const args = this.#arguments(node.args, scope);
        this.at = node.at;
        return this.#call(callee, args);
      }
      case "filter": {
        const input = this.#value(node.input, scope);
        const args = this.#arguments(node.args, scope);
        this.at = node.at;
        return this.filter(node.name, input, args);
      }
      case "test": {
        const input = this.#value(node.input, scope);
        const args = this.#arguments(node.args, scope);
        this.at = node.at;
        if (node.name === "filter") return filterTable.has(String(input)) !== node.negated;
        if (node.name === "test") return testTable.has(String(input)) !== node.negated;
        return this.test(node.name, input, args) !== node.negated;
      }
      case "not":
        return !isTrue(this.#value(node.operand, scope));
      case "negative":
      case "positive":
        return this.#signed(node, scope);
      case "and": {
        const left = this.#value(node.left, scope);
        return isTrue(left) ? this.#value(node.right, scope) : left;
      }
      case "or": {
        const left = this.#value(node.left, scope);
        return isTrue(left) ? left : this.#value(node.right, scope);
      }
      case "binary": {
        const left = this.#value(node.left, scope);
        const right = this.#value(node.right, scope);
        this.at = node.at;
        return binary(node.operator, left, right, this);
      }
      case "compare":
        return this.#compare(node, scope);
      case "condition":
        if (isTrue(this.#value(node.test, scope))) return this.#value(node.value, scope);
        if (node.otherwise !== undefined) return this.#value(node.otherwise, scope);
        return new Undefined("the condition does not hold, and there is no `else`");
    }
  }

  #compare(node: Extract<Expression, { kind: "compare" }>, scope: Scope): boolean {
    let left = this.#value(node.first, scope);
    for (const { operator, operand } of node.others) {
      const right = this.#value(operand, scope);
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
      dict.entries.set(keyOf(this.#value(key, scope)), this.#value(value, scope));
    }
    return dict;
  }

  #bound(node: Expression | undefined, scope: Scope): number | undefined {
    if (node === undefined) return undefined;
    const value = this.#value(node, scope);
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
    const value = this.#value(operand, scope);
    this.at = at;
    refuseUndefined(value);
    const number = numberOf(value);
    if (number === undefined) throw new TemplateFault(`a ${typeName(value)} has no sign`);
    const signed = kind === "negative" ? -number : number;
    return value instanceof Float ? new Float(signed) : signed;
  }
}

function refuseNull(value: Value): void {
  if (value === null) throw new TemplateFault("none has no items to go through");
}
