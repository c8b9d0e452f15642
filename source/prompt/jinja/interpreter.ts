// Interpreter of a Jinja template's statements, within a budget.
import { deepestCalls, type RenderBudget } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import { Evaluator, Scope } from "./evaluator.ts";
import { globalTable, Loop } from "./globals.ts";
import { printValue } from "./print-value.ts";
import { itemsOf } from "./sequences.ts";
import type { FilterCall, MacroBody, Statement, Target } from "./syntax-tree.ts";
import {
  Arguments,
  Callable,
  Dict,
  isTrue,
  type Key,
  Namespace,
  orUndefined,
  Tuple,
  Undefined,
  type Value,
} from "./values.ts";

/** Effect of statements on the loop around them. */
type Outcome = "next" | "break" | "continue";

type ForLoop = Extract<Statement, { kind: "for" }>;

/**
 * @throws TemplateFault with its place
 */
export function runJinja(
  statements: readonly Statement[],
  variables: ReadonlyMap<string, Value>,
  budget: RenderBudget,
  now: Date,
): string {
  const evaluator = new Evaluator(budget, now);
  try {
    return new Interpreter(evaluator).run(statements, variables);
  } catch (error) {
    if (error instanceof TemplateFault) {
      error.offset ??= evaluator.at;
      throw error;
    }
    // Nested values or a chain of operators exceeded the stack.
    if (error instanceof RangeError)
      throw new TemplateFault("it is nested too deeply", evaluator.at);
    throw error;
  }
}

class Interpreter {
  readonly #budget: RenderBudget;
  readonly #evaluator: Evaluator;
  #output: string[] = [];
  #depth = 0;

  constructor(evaluator: Evaluator) {
    this.#budget = evaluator.budget;
    this.#evaluator = evaluator;
  }

  run(statements: readonly Statement[], variables: ReadonlyMap<string, Value>): string {
    const scope = new Scope(new Scope(undefined, new Map(globalTable)), new Map(variables));
    this.#runAll(statements, scope);
    return this.#output.join("");
  }

  #write(text: string): void {
    this.#budget.text(text.length);
    this.#output.push(text);
  }

  /** Returns the output of the statements instead of writing it. */
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
    this.#evaluator.at = statement.at;
    this.#budget.step();
    switch (statement.kind) {
      case "text":
        this.#write(statement.text);
        return "next";
      case "output":
        this.#write(printValue(this.#evaluator.value(statement.value, scope), this.#budget));
        return "next";
      case "if":
        return this.#runAll(
          isTrue(this.#evaluator.value(statement.test, scope))
            ? statement.body
            : statement.otherwise,
          scope,
        );
      case "for":
        return this.#loop(statement, this.#evaluator.value(statement.list, scope), scope, 0);
      case "set":
        this.#assign(statement.target, this.#evaluator.value(statement.value, scope), scope);
        return "next";
      case "set-block": {
        const text = this.#capture(() => this.#runAll(statement.body, new Scope(scope)));
        this.#assign(statement.target, this.#filtered(text, statement.filters, scope), scope);
        return "next";
      }
      case "filter-block": {
        const text = this.#capture(() => this.#runAll(statement.body, new Scope(scope)));
        this.#write(printValue(this.#filtered(text, statement.filters, scope), this.#budget));
        return "next";
      }
      case "with": {
        const inner = new Scope(scope);
        const values = statement.bindings.map(({ value }) => this.#evaluator.value(value, scope));
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
    const items = this.#loopItems(node, list, scope);
    const again = node.recursive
      ? (inner: Value) =>
          this.#deeper(() => this.#capture(() => void this.#loop(node, inner, scope, depth + 1)))
      : undefined;
    const loop = new Loop(items, depth, again);
    if (items.length === 0) return this.#runAll(node.otherwise, new Scope(scope));
    for (const [index, item] of items.entries()) {
      this.#budget.step();
      loop.index = index;
      const inner = new Scope(scope);
      inner.set("loop", loop);
      this.#assign(node.target, item, inner);
      if (this.#runAll(node.body, inner) === "break") break;
    }
    return "next";
  }

  #loopItems({ target, test }: ForLoop, list: Value, scope: Scope): readonly Value[] {
    // More lenient than Jinja2: a chat without tools has `none`, which templates for tools loop over.
    const items = list === null ? [] : itemsOf(list, this.#evaluator);
    if (test === undefined) return items;
    return items.filter((item) => {
      const inner = new Scope(scope);
      this.#assign(target, item, inner);
      return isTrue(this.#evaluator.value(test, inner));
    });
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === "name") {
      scope.set(target.name, value);
      return;
    }
    this.#evaluator.at = target.at;
    if (target.kind === "member") {
      const object = scope.get(target.object);
      if (!(object instanceof Namespace)) {
        throw new TemplateFault(
          `\`${target.object}\` is not a namespace, so its attributes cannot be set`,
        );
      }
      object.entries.set(target.name, value);
      return;
    }
    const items = itemsOf(value, this.#evaluator);
    if (items.length !== target.items.length) {
      throw new TemplateFault(
        `cannot unpack ${items.length} values into ${target.items.length} names`,
      );
    }
    for (const [index, item] of items.entries()) {
      const inner = target.items[index];
      if (inner !== undefined) this.#assign(inner, item, scope);
    }
  }

  #filtered(text: string, filters: readonly FilterCall[], scope: Scope): Value {
    return filters.reduce<Value>((value, { name, args, at }) => {
      const given = this.#evaluator.arguments(args, scope);
      this.#evaluator.at = at;
      return this.#evaluator.filter(name, value, given);
    }, text);
  }

  #deeper<T>(run: () => T): T {
    if (this.#depth >= deepestCalls) {
      throw new TemplateFault(`macro calls are nested more than ${deepestCalls} deep`);
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
            inner.set(parameter.name, this.#evaluator.value(parameter.byDefault, inner));
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
      throw new TemplateFault(`macro \`${name}\` takes at most ${count} arguments`);
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
    const callee = this.#evaluator.value(call.callee, scope);
    const { positional, named } = this.#evaluator.arguments(call.args, scope);
    const args = new Arguments(
      positional,
      new Map([...named, ["caller", this.#macro(caller, scope)]]),
    );
    this.#evaluator.at = at;
    this.#write(printValue(this.#evaluator.call(callee, args), this.#budget));
    return "next";
  }
}
