// Parser of templates, by the rules of Go's text/template/parse.
import { deepestNesting, longestSource } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import { type Token, tokenize } from "./lexer.ts";
import { unquote } from "./literals.ts";
import { PipeParser } from "./pipe-parser.ts";
import type { Pipe, TemplateNode } from "./syntax-tree.ts";
import { TokenCursor, unexpected } from "./token-cursor.ts";

export interface ParsedTemplate {
  readonly root: readonly TemplateNode[];
  /** Templates of `define` and `block`, by name. */
  readonly definitions: ReadonlyMap<string, readonly TemplateNode[]>;
}

/** End of a list of nodes. */
type ListEnd = Token & { readonly word: "end" | "else" };

/** @throws TemplateFault with the place of the first mistake */
export function parseTemplate(
  source: string,
  isFunction: (name: string) => boolean,
): ParsedTemplate {
  if (source.length > longestSource) {
    throw new TemplateFault(`it is longer than ${longestSource} characters`, 0);
  }
  return new Parser(source, isFunction).parse();
}

class Parser {
  readonly #cursor: TokenCursor;
  readonly #pipes: PipeParser;
  readonly #definitions = new Map<string, readonly TemplateNode[]>();
  #rangeDepth = 0;
  #nesting = 0;

  constructor(source: string, isFunction: (name: string) => boolean) {
    this.#cursor = new TokenCursor(tokenize(source));
    this.#pipes = new PipeParser(this.#cursor, isFunction);
  }

  parse(): ParsedTemplate {
    const root: TemplateNode[] = [];
    while (this.#cursor.peek().type !== "end") {
      const open = this.#cursor.peek();
      if (open.type === "open" && this.#cursor.wordAfter() === "define") {
        this.#define();
        continue;
      }
      const node = this.#textOrAction();
      if ("word" in node) throw new TemplateFault(`unexpected {{${node.word}}}`, node.at);
      root.push(node);
    }
    return { root, definitions: this.#definitions };
  }

  #define(): void {
    const { at } = this.#cursor.next();
    this.#cursor.nextWord();
    const name = this.#templateName("define clause");
    this.#cursor.expect("close", "define clause");
    this.#add(name, this.#definition("define clause", at), at);
  }

  /** Parses nodes up to `end`, with `$` as the only variable. */
  #definition(context: string, at: number): readonly TemplateNode[] {
    const rangeDepth = this.#rangeDepth;
    this.#rangeDepth = 0;
    const { nodes, end } = this.#pipes.withNewVariables(() => this.#list(at));
    this.#rangeDepth = rangeDepth;
    if (end.word === "else") throw new TemplateFault(`unexpected {{else}} in ${context}`, end.at);
    return nodes;
  }

  #add(name: string, nodes: readonly TemplateNode[], at: number): void {
    const known = this.#definitions.get(name);
    if (known === undefined || isBlank(known)) {
      this.#definitions.set(name, nodes);
    } else if (!isBlank(nodes)) {
      throw new TemplateFault(`multiple definition of template ${JSON.stringify(name)}`, at);
    }
  }

  /** @param opener start of the block that the nodes belong to */
  #list(opener: number): { nodes: readonly TemplateNode[]; end: ListEnd } {
    this.#nesting += 1;
    if (this.#nesting > deepestNesting) {
      throw new TemplateFault(`blocks are nested more than ${deepestNesting} deep`, opener);
    }
    const nodes: TemplateNode[] = [];
    while (this.#cursor.peekWord().type !== "end") {
      const node = this.#textOrAction();
      if ("word" in node) {
        this.#nesting -= 1;
        return { nodes, end: node };
      }
      nodes.push(node);
    }
    throw new TemplateFault("unexpected end of the template; {{end}} is missing", opener);
  }

  #textOrAction(): TemplateNode | ListEnd {
    const token = this.#cursor.nextWord();
    if (token.type === "text") return { kind: "text", text: token.text, at: token.at };
    if (token.type === "open") return this.#action(token.at);
    throw unexpected(token, "input");
  }

  #action(at: number): TemplateNode | ListEnd {
    const token = this.#cursor.nextWord();
    if (token.type === "keyword") {
      switch (token.text) {
        case "if":
        case "with":
        case "range":
          return this.#control(token.text, at);
        case "break":
        case "continue":
          this.#cursor.expect("close", `{{${token.text}}}`);
          if (this.#rangeDepth === 0) {
            throw new TemplateFault(`{{${token.text}}} outside {{range}}`, at);
          }
          return { kind: token.text, at };
        case "end":
          this.#cursor.expect("close", "end");
          return { ...token, word: "end" };
        case "else":
          // `else if` and `else with` leave their second word for #control.
          if (!this.#isElseWord()) this.#cursor.expect("close", "else");
          return { ...token, word: "else" };
        case "template":
          return this.#template(at);
        case "block":
          return this.#block(at);
      }
    }
    this.#cursor.back();
    return { kind: "action", pipe: this.#pipes.parse("command", "close"), at };
  }

  #isElseWord(): boolean {
    const { type, text } = this.#cursor.peekWord();
    return type === "keyword" && (text === "if" || text === "with");
  }

  #control(kind: "if" | "with" | "range", at: number): TemplateNode {
    return this.#pipes.withScope(() => {
      const pipe = this.#pipes.parse(kind, "close");
      if (kind === "range") this.#rangeDepth += 1;
      const { nodes: body, end } = this.#list(at);
      if (kind === "range") this.#rangeDepth -= 1;
      return { kind, pipe, body, otherwise: this.#otherwise(kind, end, at), at };
    });
  }

  #otherwise(kind: "if" | "with" | "range", end: ListEnd, at: number): readonly TemplateNode[] {
    if (end.word === "end") return [];
    const next = this.#cursor.peekWord();
    if (next.type === "keyword" && next.text === kind && kind !== "range") {
      this.#cursor.nextWord();
      this.#nesting += 1;
      const nested = this.#control(kind, next.at);
      this.#nesting -= 1;
      return [nested];
    }
    const { nodes, end: last } = this.#list(at);
    if (last.word !== "end") throw new TemplateFault("expected end; found {{else}}", last.at);
    return nodes;
  }

  #template(at: number): TemplateNode {
    const name = this.#templateName("template clause");
    if (this.#cursor.peekWord().type === "close") {
      this.#cursor.nextWord();
      return { kind: "template", name, pipe: undefined, at };
    }
    return { kind: "template", name, pipe: this.#pipes.parse("template clause", "close"), at };
  }

  #block(at: number): TemplateNode {
    const name = this.#templateName("block clause");
    const pipe: Pipe = this.#pipes.parse("block clause", "close");
    this.#add(name, this.#definition("block clause", at), at);
    return { kind: "template", name, pipe, at };
  }

  #templateName(context: string): string {
    const token = this.#cursor.nextWord();
    const isText = token.type === "string" || token.type === "rawString";
    const name = isText ? unquote(token.text) : undefined;
    if (name === undefined) throw unexpected(token, context);
    return name;
  }
}

/** Returns true for blanks only, which another definition of the name may replace. */
function isBlank(nodes: readonly TemplateNode[]): boolean {
  return nodes.every((node) => node.kind === "text" && /^[ \t\r\n]*$/.test(node.text));
}
