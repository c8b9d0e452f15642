// Evaluator of a parsed template.
import { deepestCalls, type RenderBudget } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import { callFunction, type FunctionContext } from "./functions.ts";
import type { ParsedTemplate } from "./parser.ts";
import { printValue } from "./print-value.ts";
import type { Command, Operand, Pipe, TemplateNode } from "./syntax-tree.ts";
import { TemplateText, type TextPiece } from "./template-text.ts";
import { GoList, GoMap, GoStruct, type GoValue, isNil, isTrue, typeName } from "./values.ts";

/** Effect of a node on the loop around it. */
type Outcome = "next" | "break" | "continue";

type Control = Extract<TemplateNode, { kind: "if" | "with" | "range" }>;

/**
 * @param budget limits; related runs share one
 * @throws TemplateFault with its place
 */
export function evaluateTemplate(
  template: ParsedTemplate,
  data: GoValue,
  context: FunctionContext,
  budget: RenderBudget,
): TemplateText {
  const evaluator = new Evaluator(template, context, budget);
  try {
    return evaluator.run(data);
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    error.offset ??= evaluator.at;
    throw error;
  }
}

class Evaluator {
  /** Index into the source of the part that is being run. */
  at = 0;
  readonly #template: ParsedTemplate;
  readonly #context: FunctionContext;
  readonly #budget: RenderBudget;
  readonly #output: TextPiece[] = [];
  /** Innermost last. */
  #variables: Array<{ name: string; value: GoValue }> = [];
  #depth = 0;

  constructor(template: ParsedTemplate, context: FunctionContext, budget: RenderBudget) {
    this.#template = template;
    this.#context = context;
    this.#budget = budget;
  }

  run(data: GoValue): TemplateText {
    this.#variables = [{ name: "$", value: data }];
    this.#walkList(this.#template.root, data);
    return TemplateText.fromPieces(this.#output);
  }

  #write(text: TemplateText): void {
    for (const piece of text.pieces) {
      this.#budget.text(piece.text.length);
      this.#output.push(piece);
    }
  }

  #walkList(nodes: readonly TemplateNode[], dot: GoValue): Outcome {
    for (const node of nodes) {
      const outcome = this.#walk(node, dot);
      if (outcome !== "next") return outcome;
    }
    return "next";
  }

  #walk(node: TemplateNode, dot: GoValue): Outcome {
    this.at = node.at;
    this.#budget.step();
    switch (node.kind) {
      case "text":
        this.#write(TemplateText.of(node.text));
        return "next";
      case "action": {
        // Its variables live until the end of the block.
        const value = this.#pipe(node.pipe, dot);
        if (node.pipe.variables.length === 0) this.#write(printValue(value));
        return "next";
      }
      case "break":
      case "continue":
        return node.kind;
      case "template":
        this.#callTemplate(node.name, this.#pipe(node.pipe, dot), node.at);
        return "next";
      default:
        return this.#withScope(() => this.#control(node, dot));
    }
  }

  #withScope<T>(run: () => T): T {
    const mark = this.#variables.length;
    const result = run();
    this.#variables.length = mark;
    return result;
  }

  #control(node: Control, dot: GoValue): Outcome {
    const value = this.#pipe(node.pipe, dot);
    if (node.kind === "range") return this.#range(node, value, dot);
    if (!isTrue(value)) return this.#walkList(node.otherwise, dot);
    return this.#walkList(node.body, node.kind === "with" ? value : dot);
  }

  #range(node: Control, value: GoValue, dot: GoValue): Outcome {
    let isEmpty = true;
    for (const [key, item] of this.#rounds(node, value)) {
      isEmpty = false;
      this.at = node.at;
      this.#budget.step();
      this.#setRangeVariables(node.pipe, key, item);
      const outcome = this.#withScope(() => this.#walkList(node.body, item));
      if (outcome === "break") break;
    }
    return isEmpty ? this.#walkList(node.otherwise, dot) : "next";
  }

  *#rounds(node: Control, value: GoValue): Iterable<[key: GoValue, item: GoValue]> {
    if (isNil(value)) return;
    if (typeof value === "bigint") {
      if (node.pipe.variables.length > 1) {
        throw new TemplateFault(`can't use ${value} to iterate over more than one variable`);
      }
      for (let count = 0n; count < value; count += 1n) yield [undefined, count];
    } else if (value instanceof GoList) {
      for (let index = 0; index < value.length; index += 1) yield [BigInt(index), value.at(index)];
    } else if (value instanceof GoMap) {
      this.#budget.step(value.entries.size);
      for (const [key, item] of value.sorted) yield [TemplateText.of(key, "outside"), item];
    } else {
      throw new TemplateFault(`range can't iterate over a ${typeName(value)}`);
    }
  }

  /** Sets one variable to the item, or the first of two to the key. */
  #setRangeVariables({ variables, assigns }: Pipe, key: GoValue, item: GoValue): void {
    const values = variables.length > 1 ? [key, item] : [item];
    variables.forEach((name, index) => {
      if (assigns) {
        this.#assign(name, values[index]);
      } else {
        const own = this.#variables.at(index - variables.length);
        if (own !== undefined) own.value = values[index];
      }
    });
  }

  #callTemplate(name: string, data: GoValue, at: number): void {
    const nodes = name === "" ? this.#template.root : this.#template.definitions.get(name);
    if (nodes === undefined) {
      throw new TemplateFault(`template ${JSON.stringify(name)} not defined`, at);
    }
    if (this.#depth >= deepestCalls) {
      throw new TemplateFault(`template calls are nested more than ${deepestCalls} deep`, at);
    }
    const outer = this.#variables;
    this.#variables = [{ name: "$", value: data }];
    this.#depth += 1;
    this.#walkList(nodes, data);
    this.#depth -= 1;
    this.#variables = outer;
  }

  #pipe(pipe: Pipe | undefined, dot: GoValue): GoValue {
    if (pipe === undefined) return undefined;
    let piped: readonly GoValue[] = [];
    for (const command of pipe.commands) {
      // A nil from a map or a list is a plain nil from here on.
      piped = [this.#command(command, dot, piped) ?? undefined];
    }
    const [value] = piped;
    for (const name of pipe.variables) {
      if (pipe.assigns) this.#assign(name, value);
      else this.#variables.push({ name, value });
    }
    return value;
  }

  #variable(name: string): { name: string; value: GoValue } {
    const found = this.#variables.findLast((variable) => variable.name === name);
    if (found === undefined) throw new TemplateFault(`undefined variable: ${name}`);
    return found;
  }

  #assign(name: string, value: GoValue): void {
    this.#variable(name).value = value;
  }

  #command({ operands, at }: Command, dot: GoValue, piped: readonly GoValue[]): GoValue {
    this.at = at;
    this.#budget.step();
    const [first, ...others] = operands;
    if (first.kind === "function") return this.#call(first.name, others, dot, piped, first.at);
    if (others.length > 0 || piped.length > 0) {
      const what = "names" in first ? (first.names.at(-1) ?? "") : first.kind;
      throw new TemplateFault(`can't give argument to non-function ${what}`.trimEnd(), first.at);
    }
    if (first.kind === "nil") throw new TemplateFault("nil is not a command", first.at);
    return this.#operand(first, dot);
  }

  #call(
    name: string,
    operands: readonly Operand[],
    dot: GoValue,
    piped: readonly GoValue[],
    at: number,
  ): GoValue {
    this.#budget.step();
    if (name === "and" || name === "or") return this.#logic(name, operands, dot, piped, at);
    const args = [...operands.map((operand) => this.#operand(operand, dot)), ...piped];
    this.at = at;
    for (const arg of args) {
      if (arg instanceof TemplateText) this.#budget.text(arg.plain.length);
    }
    const result = callFunction(name, args, this.#context);
    if (result instanceof TemplateText) this.#budget.text(result.plain.length);
    return result;
  }

  /** Returns the first argument that decides, or the last; later ones are not evaluated. */
  #logic(
    name: "and" | "or",
    operands: readonly Operand[],
    dot: GoValue,
    piped: readonly GoValue[],
    at: number,
  ): GoValue {
    if (operands.length + piped.length === 0) {
      throw new TemplateFault(`wrong number of args for ${name}: want at least 1 got 0`, at);
    }
    let value: GoValue;
    for (const operand of operands) {
      value = this.#operand(operand, dot);
      if (isTrue(value) === (name === "or")) return value;
    }
    return piped.length > 0 ? piped[0] : value;
  }

  #operand(operand: Operand, dot: GoValue): GoValue {
    this.at = operand.at;
    switch (operand.kind) {
      case "pipe":
        return this.#pipe(operand, dot);
      case "dot":
        return dot;
      case "nil":
        return undefined;
      case "constant":
        return typeof operand.value === "string" ? TemplateText.of(operand.value) : operand.value;
      case "function":
        return this.#call(operand.name, [], dot, [], operand.at);
      case "field":
        return this.#fields(dot, operand.names, operand.at);
      case "variable":
        return this.#fields(this.#variable(operand.name).value, operand.names, operand.at);
      case "chain":
        return this.#fields(this.#operand(operand.base, dot), operand.names, operand.at);
    }
  }

  #fields(value: GoValue, names: readonly string[], at: number): GoValue {
    this.at = at;
    return names.reduce((receiver, name) => this.#field(receiver, name), value);
  }

  #field(receiver: GoValue, name: string): GoValue {
    // Go's rule: a field of a pipeline's nil is nil. A field of a map's or a list's nil is an error.
    if (receiver === undefined) return undefined;
    if (receiver === null) throw new TemplateFault(`nil pointer evaluating .${name}`);
    if (receiver instanceof GoMap) return receiver.entries.get(name) ?? null;
    if (receiver instanceof GoStruct && receiver.fields.has(name)) return receiver.fields.get(name);
    throw new TemplateFault(`can't evaluate field ${name} in type ${typeName(receiver)}`);
  }
}
