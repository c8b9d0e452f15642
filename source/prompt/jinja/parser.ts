// Parser of Jinja's statements.
import { longestSource } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import { parseExpression, parseFilterCall, parseTuple } from "./expression-parser.ts";
import { tokenize } from "./lexer.ts";
import type {
  Expression,
  FilterCall,
  MacroBody,
  Parameter,
  Statement,
  Target,
} from "./syntax-tree.ts";
import { TokenStream } from "./token-stream.ts";

/** @throws TemplateFault with its place */
export function parseJinja(source: string): Statement[] {
  if (source.length > longestSource) {
    throw new TemplateFault(`it is longer than ${longestSource} characters`);
  }
  const parser = new Parser(new TokenStream(tokenize(source)));
  return parser.statements([]);
}

/** Jinja statements that need other files. */
const unsupported: ReadonlySet<string> = new Set(["extends", "include", "import", "from"]);

class Parser {
  readonly #tokens: TokenStream;
  /** Places of the statements that are being read, outermost first. */
  readonly #begun: number[] = [];

  constructor(tokens: TokenStream) {
    this.#tokens = tokens;
  }

  /** @param ends names of the statements that end them; none for the whole template */
  statements(ends: readonly string[]): Statement[] {
    const found: Statement[] = [];
    const tokens = this.#tokens;
    for (;;) {
      if (tokens.is("end")) {
        if (ends.length === 0) return found;
        throw tokens.fault(`${quoted(ends)} is missing`, this.#begun.at(-1));
      }
      const { kind, text, at } = tokens.next();
      if (kind === "text") {
        found.push({ kind: "text", text, at });
      } else if (kind === "variable-begin") {
        found.push({ kind: "output", value: this.#tuple(), at });
        tokens.expect("variable-end");
      } else {
        if (tokens.is("name") && ends.includes(tokens.current.text)) return found;
        this.#begun.push(at);
        found.push(tokens.nested(() => this.#statement(at)));
        this.#begun.pop();
      }
    }
  }

  #expression(): Expression {
    return parseExpression(this.#tokens);
  }

  #tuple(options?: Parameters<typeof parseTuple>[1]): Expression {
    return parseTuple(this.#tokens, options);
  }

  #end(): void {
    this.#tokens.expect("block-end");
  }

  /** Reads the statements up to one of the ends, and the name of that end. */
  #body(...ends: string[]): { body: Statement[]; end: string } {
    this.#end();
    const body = this.statements(ends);
    return { body, end: this.#tokens.next().text };
  }

  /** Reads the statements up to the end, and the whole end. */
  #wholeBody(end: string): Statement[] {
    const { body } = this.#body(end);
    this.#end();
    return body;
  }

  #statement(at: number): Statement {
    const tokens = this.#tokens;
    const name = tokens.expect("name").text;
    switch (name) {
      case "if":
        return this.#if(at);
      case "for":
        return this.#for(at);
      case "set":
        return this.#set(at);
      case "macro":
        return { kind: "macro", macro: this.#macro(at), at };
      case "call":
        return this.#call(at);
      case "filter": {
        const filters = this.#filters();
        return { kind: "filter-block", filters, body: this.#wholeBody("endfilter"), at };
      }
      case "with":
        return this.#with(at);
      case "generation":
        return { kind: "block", body: this.#wholeBody("endgeneration"), at };
      case "block":
        return this.#block(at);
      case "break":
      case "continue":
        this.#end();
        return { kind: name, at };
      default:
        throw tokens.fault(
          unsupported.has(name)
            ? `\`${name}\` needs other files, which a chat template does not have`
            : `there is no statement \`${name}\`${name.startsWith("end") || name.startsWith("el") ? " here" : ""}`,
          at,
        );
    }
  }

  #if(at: number): Statement {
    const test = this.#expression();
    const { body, end } = this.#body("elif", "else", "endif");
    if (end === "elif") {
      const otherwise = [this.#tokens.nested(() => this.#if(at))];
      return { kind: "if", test, body, otherwise, at };
    }
    const otherwise = end === "else" ? this.#wholeBody("endif") : [];
    if (end === "endif") this.#end();
    return { kind: "if", test, body, otherwise, at };
  }

  #for(at: number): Statement {
    const tokens = this.#tokens;
    const target = this.#target();
    tokens.expect("name", "in");
    const list = this.#tuple({ takesCondition: false });
    const test = tokens.skip("name", "if") ? this.#expression() : undefined;
    const recursive = tokens.skip("name", "recursive");
    const { body, end } = this.#body("else", "endfor");
    const otherwise = end === "else" ? this.#wholeBody("endfor") : [];
    if (end === "endfor") this.#end();
    return { kind: "for", target, list, test, recursive, body, otherwise, at };
  }

  #target(): Target {
    const { at } = this.#tokens.current;
    const items = [this.#oneTarget()];
    let isTuple = false;
    while (this.#tokens.skip("operator", ",")) {
      isTuple = true;
      if (!this.#tokens.is("name") && !this.#tokens.is("operator", "(")) break;
      if (this.#tokens.is("name", "in")) break;
      items.push(this.#oneTarget());
    }
    const [first] = items;
    return !isTuple && first !== undefined ? first : { kind: "tuple", items, at };
  }

  #oneTarget(): Target {
    const tokens = this.#tokens;
    const { at } = tokens.current;
    if (tokens.skip("operator", "(")) {
      const inner = tokens.nested(() => this.#target());
      tokens.expect("operator", ")");
      return inner;
    }
    const name = tokens.expect("name").text;
    if (!tokens.skip("operator", ".")) return { kind: "name", name, at };
    return { kind: "member", object: name, name: tokens.expect("name").text, at };
  }

  #set(at: number): Statement {
    const target = this.#target();
    if (this.#tokens.skip("operator", "=")) {
      const value = this.#tuple();
      this.#end();
      return { kind: "set", target, value, at };
    }
    const filters = this.#tokens.skip("operator", "|") ? this.#filters() : [];
    return { kind: "set-block", target, filters, body: this.#wholeBody("endset"), at };
  }

  #filters(): FilterCall[] {
    const filters = [parseFilterCall(this.#tokens)];
    while (this.#tokens.skip("operator", "|")) filters.push(parseFilterCall(this.#tokens));
    return filters;
  }

  #macro(at: number): MacroBody {
    const name = this.#tokens.expect("name").text;
    return this.#macroBody(name, this.#parameters(), "endmacro", at);
  }

  #macroBody(name: string, parameters: Parameter[], end: string, at: number): MacroBody {
    const { hasRead } = this.#tokens.mark();
    const body = this.#wholeBody(end);
    const reads = new Set(["caller", "varargs", "kwargs"].filter(hasRead));
    return { name, parameters, body, reads, at };
  }

  #parameters(): Parameter[] {
    const tokens = this.#tokens;
    const parameters: Parameter[] = [];
    tokens.expect("operator", "(");
    while (!tokens.is("operator", ")")) {
      if (parameters.length > 0) tokens.expect("operator", ",");
      if (tokens.is("operator", ")")) break;
      const name = tokens.expect("name").text;
      const byDefault = tokens.skip("operator", "=") ? this.#expression() : undefined;
      parameters.push({ name, byDefault });
    }
    tokens.expect("operator", ")");
    return parameters;
  }

  #call(at: number): Statement {
    const parameters = this.#tokens.is("operator", "(") ? this.#parameters() : [];
    const call = this.#expression();
    if (call.kind !== "call") throw this.#tokens.fault("`call` needs a call", at);
    return {
      kind: "call-block",
      call,
      caller: this.#macroBody("caller", parameters, "endcall", at),
      at,
    };
  }

  #with(at: number): Statement {
    const bindings: Array<{ target: Target; value: Expression }> = [];
    while (!this.#tokens.is("block-end")) {
      if (bindings.length > 0) this.#tokens.expect("operator", ",");
      const target = this.#oneTarget();
      this.#tokens.expect("operator", "=");
      bindings.push({ target, value: this.#expression() });
    }
    return { kind: "with", bindings, body: this.#wholeBody("endwith"), at };
  }

  #block(at: number): Statement {
    this.#tokens.expect("name");
    const { body } = this.#body("endblock");
    this.#tokens.skip("name");
    this.#end();
    return { kind: "block", body, at };
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(" or ");
}
