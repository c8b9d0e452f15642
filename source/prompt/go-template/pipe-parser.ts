// Parser for the inside of an action: pipelines, commands and their operands.
import { deepestNesting } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import type { Token, TokenType } from "./lexer.ts";
import { characterValue, numberValue, unquote } from "./literals.ts";
import type { Command, Operand, Pipe } from "./syntax-tree.ts";
import { type TokenCursor, unexpected } from "./token-cursor.ts";

const operandTypes = new Set<TokenType>([
  "boolean",
  "character",
  "dot",
  "field",
  "identifier",
  "number",
  "nil",
  "rawString",
  "string",
  "variable",
  "leftParen",
]);

export class PipeParser {
  readonly #cursor: TokenCursor;
  readonly #isFunction: (name: string) => boolean;
  /** Variables in scope. */
  #variables = ["$"];
  #nesting = 0;

  constructor(cursor: TokenCursor, isFunction: (name: string) => boolean) {
    this.#cursor = cursor;
    this.#isFunction = isFunction;
  }

  /** Drops the variables that `parse` declares. */
  withScope<T>(parse: () => T): T {
    const mark = this.#variables.length;
    const result = parse();
    this.#variables.length = mark;
    return result;
  }

  /** Runs `parse` with `$` as the only variable. */
  withNewVariables<T>(parse: () => T): T {
    const outer = this.#variables;
    this.#variables = ["$"];
    const result = parse();
    this.#variables = outer;
    return result;
  }

  /** Parses a pipeline up to and including the token that ends it. */
  parse(context: string, end: "close" | "rightParen"): Pipe {
    const at = this.#cursor.peekWord().at;
    const { variables, assigns } = this.#declarations(context);
    const commands: Command[] = [];
    for (;;) {
      const token = this.#cursor.nextWord();
      if (token.type === end) break;
      if (!operandTypes.has(token.type)) throw unexpected(token, context);
      this.#cursor.back();
      commands.push(this.#command());
    }
    if (commands.length === 0) throw new TemplateFault(`missing value for ${context}`, at);
    commands.slice(1).forEach(({ operands: [first] }, index) => {
      if (first.kind === "dot" || first.kind === "nil" || first.kind === "constant") {
        const message = `non executable command in pipeline stage ${index + 2}`;
        throw new TemplateFault(message, first.at);
      }
    });
    return { kind: "pipe", variables, assigns, commands, at };
  }

  #declarations(context: string): { variables: string[]; assigns: boolean } {
    const variables: string[] = [];
    for (;;) {
      const variable = this.#cursor.peekWord();
      if (variable.type !== "variable") return { variables, assigns: false };
      this.#cursor.next();
      const follower = this.#cursor.peek();
      const next = this.#cursor.peekWord();
      if (next.type === "assign" || next.type === "declare") {
        this.#cursor.next();
        this.#declare(variable, variables);
        return { variables, assigns: next.type === "assign" };
      }
      if (next.text !== "," || next.type !== "other") {
        // Not a declaration: puts back the variable and a space after it.
        this.#cursor.back();
        if (follower.type === "space") this.#cursor.back();
        return { variables, assigns: false };
      }
      this.#cursor.next();
      this.#declare(variable, variables);
      if (context !== "range" || variables.length > 1) {
        throw new TemplateFault(`too many declarations in ${context}`, variable.at);
      }
      const second = this.#cursor.peekWord().type;
      if (second !== "variable" && second !== "close" && second !== "rightParen") {
        throw new TemplateFault("range can only initialize variables", variable.at);
      }
    }
  }

  #declare({ text }: Token, variables: string[]): void {
    variables.push(text);
    this.#variables.push(text);
  }

  #command(): Command {
    const { at } = this.#cursor.peekWord();
    const operands: Operand[] = [];
    for (;;) {
      this.#cursor.peekWord();
      const operand = this.#operand();
      if (operand !== undefined) operands.push(operand);
      const token = this.#cursor.next();
      if (token.type === "space") continue;
      if (token.type === "close" || token.type === "rightParen") this.#cursor.back();
      else if (token.type !== "pipe") throw unexpected(token, "operand");
      break;
    }
    const [first, ...others] = operands;
    if (first === undefined) throw new TemplateFault("empty command", at);
    return { operands: [first, ...others], at };
  }

  #operand(): Operand | undefined {
    const term = this.#term();
    if (term === undefined || this.#cursor.peek().type !== "field") return term;
    const names: string[] = [];
    while (this.#cursor.peek().type === "field") names.push(this.#cursor.next().text.slice(1));
    switch (term.kind) {
      case "field":
      case "variable":
        return { ...term, names: [...term.names, ...names] };
      case "constant":
      case "nil":
      case "dot":
        throw new TemplateFault("unexpected . after a constant", term.at);
      default:
        return { kind: "chain", base: term, names, at: term.at };
    }
  }

  #term(): Operand | undefined {
    const token = this.#cursor.nextWord();
    const { type, text, at } = token;
    switch (type) {
      case "identifier":
        if (this.#isFunction(text)) return { kind: "function", name: text, at };
        throw new TemplateFault(`function ${JSON.stringify(text)} not defined`, at);
      case "dot":
      case "nil":
        return { kind: type, at };
      case "variable":
        if (this.#variables.includes(text)) return { kind: "variable", name: text, names: [], at };
        throw new TemplateFault(`undefined variable ${JSON.stringify(text)}`, at);
      case "field":
        return { kind: "field", names: [text.slice(1)], at };
      case "boolean":
        return { kind: "constant", value: text === "true", at };
      case "number":
      case "character":
      case "string":
      case "rawString":
        return { kind: "constant", value: constantOf(token), at };
      case "leftParen":
        return this.#parenthesized(at);
    }
    this.#cursor.back();
    return undefined;
  }

  #parenthesized(at: number): Pipe {
    this.#nesting += 1;
    if (this.#nesting > deepestNesting) {
      throw new TemplateFault(`parentheses are nested more than ${deepestNesting} deep`, at);
    }
    const pipe = this.parse("parenthesized pipeline", "rightParen");
    this.#nesting -= 1;
    return pipe;
  }
}

function constantOf({ type, text, at }: Token): bigint | number | string {
  if (type === "number") {
    const value = numberValue(text);
    if (typeof value === "string") throw new TemplateFault(value, at);
    return value;
  }
  const value = type === "character" ? characterValue(text) : unquote(text);
  if (value === undefined) throw new TemplateFault("invalid syntax", at);
  return value;
}
