// Lexer of Jinja templates, with the white-space rules that chat templates expect: trim_blocks and
// lstrip_blocks.
import { maxTokens } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";

export type TokenKind =
  | "text"
  | "block-begin"
  | "block-end"
  | "variable-begin"
  | "variable-end"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "operator"
  | "end";

export interface Token {
  kind: TokenKind;
  /** Strings are without quotes, with escapes resolved. */
  text: string;
  /** Index into the source. */
  at: number;
}

const blank = /\s+/y;
const name = /[\p{L}_][\p{L}\p{N}_]*/uy;
const float = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const integer =
  /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const operator = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}<>=.:|,;]/y;
const rawBegin = /\{%([-+]?)\s*raw\s*(-?)%\}/y;
const rawEnd = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** @throws TemplateFault with its place */
export function tokenize(source: string): Token[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  /** Start of the text on a new line after a tag and its line break. */
  #lineStart = 0;

  constructor(source: string) {
    // A single line break at the very end belongs to the file, not to the text.
    this.#source = source.endsWith("\n") ? source.slice(0, -1) : source;
  }

  run(): Token[] {
    const source = this.#source;
    while (this.#at < source.length) {
      this.#refuseTooMany();
      const tag = this.#nextTag();
      if (tag === undefined) {
        this.#pushText(source.slice(this.#at), this.#at);
        break;
      }
      this.#textBefore(tag);
      this.#at = tag;
      switch (source[tag + 1]) {
        case "#":
          this.#comment();
          break;
        case "{":
          this.#inside("variable");
          break;
        default:
          if (!this.#raw()) this.#inside("block");
      }
    }
    this.#tokens.push({ kind: "end", text: "", at: source.length });
    return this.#tokens;
  }

  #refuseTooMany(): void {
    if (this.#tokens.length <= maxTokens) return;
    throw new TemplateFault(`it has more than ${maxTokens} tokens`, this.#at);
  }

  #nextTag(): number | undefined {
    for (
      let at = this.#source.indexOf("{", this.#at);
      at >= 0;
      at = this.#source.indexOf("{", at + 1)
    ) {
      const next = this.#source[at + 1];
      if (next === "%" || next === "{" || next === "#") return at;
    }
    return undefined;
  }

  #pushText(text: string, at: number): void {
    if (text !== "") this.#tokens.push({ kind: "text", text, at });
  }

  /** Returns the text up to a tag, without the white space that the tag removes. */
  #textBefore(tag: number): void {
    const source = this.#source;
    const sign = source[tag + 2];
    const text = source.slice(this.#at, tag);
    if (sign === "-") {
      this.#pushText(text.trimEnd(), this.#at);
      return;
    }
    if (sign !== "+" && source[tag + 1] !== "{") {
      const line = text.lastIndexOf("\n") + 1;
      if ((line > 0 || this.#lineStart === this.#at) && /^\s*$/.test(text.slice(line))) {
        this.#pushText(text.slice(0, line), this.#at);
        return;
      }
    }
    this.#pushText(text, this.#at);
  }

  /** Skips white space after a tag: all after `-`, else the tag's own line break. */
  #afterTag(sign: string, isVariable: boolean): void {
    if (sign === "-") {
      blank.lastIndex = this.#at;
      const found = blank.exec(this.#source)?.[0] ?? "";
      this.#at += found.length;
      if (found.endsWith("\n")) this.#lineStart = this.#at;
    } else if (sign !== "+" && !isVariable && this.#source[this.#at] === "\n") {
      this.#at += 1;
      this.#lineStart = this.#at;
    }
  }

  #comment(): void {
    const end = this.#source.indexOf("#}", this.#at + 2);
    if (end < 0) throw new TemplateFault("the comment is not closed with `#}`", this.#at);
    const sign = end > this.#at + 2 ? (this.#source[end - 1] ?? "") : "";
    this.#at = end + 2;
    this.#afterTag(sign, false);
  }

  #raw(): boolean {
    rawBegin.lastIndex = this.#at;
    const begin = rawBegin.exec(this.#source);
    if (begin === null) return false;
    const from = this.#at + begin[0].length;
    rawEnd.lastIndex = from;
    const end = rawEnd.exec(this.#source);
    if (end === null) throw new TemplateFault("`raw` has no `endraw`", this.#at);
    let text = this.#source.slice(from, end.index);
    if (begin[2] === "-") text = text.trimStart();
    if (end[1] === "-") text = text.trimEnd();
    this.#pushText(text, from);
    this.#at = end.index + end[0].length;
    this.#afterTag(end[2] ?? "", false);
    return true;
  }

  /** Reads the tokens of a block or an expression. */
  #inside(kind: "block" | "variable"): void {
    const begin = this.#at;
    const close = kind === "block" ? "%}" : "}}";
    this.#tokens.push({
      kind: `${kind}-begin`,
      text: this.#source.slice(begin, begin + 2),
      at: begin,
    });
    this.#at += 2;
    if (/[-+]/.test(this.#source[this.#at] ?? "")) this.#at += 1;
    const open: string[] = [];
    for (;;) {
      this.#refuseTooMany();
      this.#match(blank);
      const at = this.#at;
      if (at >= this.#source.length) {
        throw new TemplateFault(
          `\`${this.#source.slice(begin, begin + 2)}\` has no end \`${close}\``,
          begin,
        );
      }
      if (open.length === 0) {
        const sign = /[-+]/.test(this.#source[at] ?? "") ? (this.#source[at] ?? "") : "";
        if (this.#source.startsWith(close, at + sign.length)) {
          this.#tokens.push({ kind: `${kind}-end`, text: close, at });
          this.#at = at + sign.length + 2;
          this.#afterTag(sign, kind === "variable");
          return;
        }
      }
      this.#token(at, open);
    }
  }

  #token(at: number, open: string[]): void {
    const push = (kind: TokenKind, text: string) => this.#tokens.push({ kind, text, at });
    const quote = this.#source[at];
    if (quote === '"' || quote === "'") {
      push("string", this.#string(quote));
      return;
    }
    const word = this.#match(name);
    if (word !== undefined) return void push("name", word);
    const decimal = this.#source[at - 1] === "." ? undefined : this.#match(float);
    if (decimal !== undefined) return void push("float", decimal.replaceAll("_", ""));
    const whole = this.#match(integer);
    if (whole !== undefined) return void push("integer", whole.replaceAll("_", ""));
    const sign = this.#match(operator);
    if (sign === undefined) {
      const character = String.fromCodePoint(this.#source.codePointAt(at) ?? 0);
      throw new TemplateFault(`unexpected character \`${character}\``, at);
    }
    const expected = closing[sign];
    if (expected !== undefined) open.push(expected);
    if (/[)\]}]/.test(sign)) {
      const last = open.pop();
      if (last !== sign) {
        throw new TemplateFault(
          `unexpected \`${sign}\`${last === undefined ? "" : `, expected \`${last}\``}`,
          at,
        );
      }
    }
    push("operator", sign);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #string(quote: string): string {
    const begin = this.#at;
    let text = "";
    let from = begin + 1;
    for (let at = from; at < this.#source.length; at += 1) {
      const character = this.#source[at];
      if (character === quote) {
        this.#at = at + 1;
        return text + this.#source.slice(from, at);
      }
      if (character === "\\") {
        const { value, length } = readEscape(this.#source, at);
        text += this.#source.slice(from, at) + value;
        at += length - 1;
        from = at + 1;
      }
    }
    throw new TemplateFault("the string is not closed", begin);
  }
}

const simpleEscapes: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const numericEscape = /x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}/y;

/** Resolves Python's escapes; unknown ones stay unchanged. */
function readEscape(source: string, at: number): { value: string; length: number } {
  const next = source[at + 1] ?? "";
  const simple = simpleEscapes[next];
  if (simple !== undefined) return { value: simple, length: 2 };
  numericEscape.lastIndex = at + 1;
  const digits = numericEscape.exec(source)?.[0];
  if (digits === undefined) return { value: `\\${next}`, length: 1 + next.length };
  const code = /^\d/.test(digits)
    ? Number.parseInt(digits, 8)
    : Number.parseInt(digits.slice(1), 16);
  if (code > 0x10ffff) throw new TemplateFault(`the character \\${digits} does not exist`, at);
  return { value: String.fromCodePoint(code), length: 1 + digits.length };
}
