// Lexer of templates, by the rules of Go's text/template/parse.
import { maxTokens } from "../render-budget.ts";

export type TokenType =
  | "text"
  | "open"
  | "close"
  | "space"
  | "identifier"
  | "keyword"
  | "boolean"
  | "nil"
  | "dot"
  | "field"
  | "variable"
  | "number"
  | "character"
  | "string"
  | "rawString"
  | "pipe"
  | "declare"
  | "assign"
  | "leftParen"
  | "rightParen"
  | "other"
  /** Last token of text that cannot be read; its text gives the reason. */
  | "error"
  /** The last token. */
  | "end";

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** Start index in the template. */
  readonly at: number;
}

const keywords = new Set("block break continue define else end if range template with".split(" "));
const trimmed = " \t\r\n";
const word = /[\p{L}\p{Nd}_]/u;
const words = /[\p{L}\p{Nd}_]*/uy;
// As lenient as Go's lexer; the value is parsed and checked later.
const number =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*|0[bB][01_]*|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y;

export function tokenize(source: string): Token[] {
  return new Lexer(source).run();
}

class LexerFault extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    try {
      while (this.#at < this.#source.length) this.#text();
      this.#push("end", this.#at, this.#at);
    } catch (error) {
      if (!(error instanceof LexerFault)) throw error;
      this.#tokens.push({ type: "error", text: error.message, at: error.at });
    }
    return this.#tokens;
  }

  #push(type: TokenType, from: number, to: number): void {
    if (this.#tokens.length > maxTokens) {
      throw new LexerFault(`it has more than ${maxTokens} tokens`, from);
    }
    this.#tokens.push({ type, text: this.#source.slice(from, to), at: from });
    this.#at = to;
  }

  /** Reads text up to an action, and the action. */
  #text(): void {
    const start = this.#at;
    const open = this.#source.indexOf("{{", start);
    if (open < 0) {
      this.#push("text", start, this.#source.length);
      return;
    }
    const trims = this.#isLeftTrim(open + 2);
    const end = trims ? this.#skipBack(open, start) : open;
    if (end > start) this.#push("text", start, end);
    const inside = open + 2 + (trims ? 2 : 0);
    if (this.#source.startsWith("/*", inside)) {
      this.#comment(open, inside);
    } else {
      this.#push("open", open, open + 2);
      this.#at = inside;
      this.#action(open);
    }
  }

  #comment(open: number, start: number): void {
    const end = this.#source.indexOf("*/", start + 2);
    if (end < 0) throw new LexerFault("unclosed comment", open);
    this.#at = end + 2;
    if (this.#closeLength() === 0) {
      throw new LexerFault("comment ends before closing delimiter", open);
    }
    this.#close(false);
  }

  /** Returns the length of a closing delimiter here, including its trim marker; 0 if there is none. */
  #closeLength(): number {
    if (this.#source.startsWith("}}", this.#at)) return 2;
    const trims = this.#isSpace(this.#at) && this.#source.startsWith("-}}", this.#at + 1);
    return trims ? 4 : 0;
  }

  #close(emits: boolean): void {
    const start = this.#at;
    const length = this.#closeLength();
    if (emits) this.#push("close", start, start + length);
    this.#at = start + length;
    if (length === 4) while (this.#isSpace(this.#at)) this.#at += 1;
  }

  #action(open: number): void {
    let parens = 0;
    for (;;) {
      if (this.#closeLength() > 0) {
        if (parens > 0) throw new LexerFault("unclosed left paren", this.#at);
        this.#close(true);
        return;
      }
      const start = this.#at;
      const code = this.#source.codePointAt(start);
      if (code === undefined) throw new LexerFault("unclosed action", open);
      const character = String.fromCodePoint(code);
      switch (true) {
        case this.#isSpace(start):
          this.#space();
          break;
        case character === "=":
          this.#push("assign", start, start + 1);
          break;
        case character === ":":
          if (this.#source[start + 1] !== "=") throw new LexerFault("expected :=", start);
          this.#push("declare", start, start + 2);
          break;
        case character === "|":
          this.#push("pipe", start, start + 1);
          break;
        case character === '"':
          this.#quoted("string", '"', "unterminated quoted string");
          break;
        case character === "'":
          this.#quoted("character", "'", "unterminated character constant");
          break;
        case character === "`":
          this.#rawString();
          break;
        case character === "$":
          this.#name("variable", start + 1);
          break;
        case character === "." && !/[0-9]/.test(this.#source[start + 1] ?? ""):
          this.#name("field", start + 1);
          break;
        case /[.+\-0-9]/.test(character):
          this.#number();
          break;
        case word.test(character):
          this.#name("identifier", start);
          break;
        case character === "(":
          parens += 1;
          this.#push("leftParen", start, start + 1);
          break;
        case character === ")":
          parens -= 1;
          if (parens < 0) throw new LexerFault("unexpected right paren", start);
          this.#push("rightParen", start, start + 1);
          break;
        case character >= "!" && character <= "~":
          this.#push("other", start, start + 1);
          break;
        default:
          throw new LexerFault(`unrecognized character ${JSON.stringify(character)}`, start);
      }
    }
  }

  #space(): void {
    const start = this.#at;
    let end = start;
    // The last blank before "-}}" belongs to the delimiter.
    while (this.#isSpace(end) && !(end > start && this.#source.startsWith("-}}", end + 1))) {
      end += 1;
    }
    this.#push("space", start, end);
  }

  #quoted(type: "string" | "character", quote: string, unterminated: string): void {
    const start = this.#at;
    let end = start + 1;
    for (;;) {
      const character = this.#source[end];
      if (character === quote) break;
      const escaped = character === "\\" ? this.#source[end + 1] : "";
      if (
        character === undefined ||
        character === "\n" ||
        escaped === undefined ||
        escaped === "\n"
      ) {
        throw new LexerFault(unterminated, start);
      }
      end += character === "\\" ? 2 : 1;
    }
    this.#push(type, start, end + 1);
  }

  #rawString(): void {
    const end = this.#source.indexOf("`", this.#at + 1);
    if (end < 0) throw new LexerFault("unterminated raw quoted string", this.#at);
    this.#push("rawString", this.#at, end + 1);
  }

  #number(): void {
    const start = this.#at;
    number.lastIndex = start;
    const end = start + (number.exec(this.#source)?.[0].length ?? 0);
    const next = String.fromCodePoint(this.#source.codePointAt(end) ?? 0);
    if (end === start || word.test(next) || next === "+" || next === "-") {
      throw new LexerFault("bad number syntax", start);
    }
    this.#push("number", start, end);
  }

  /** Reads a word; fields and variables have one character in front. */
  #name(type: "field" | "variable" | "identifier", from: number): void {
    const start = this.#at;
    words.lastIndex = from;
    const end = from + (words.exec(this.#source)?.[0].length ?? 0);
    const next = this.#source[end] ?? "";
    if (next !== "" && !/[ \t\r\n.,|:()]/.test(next) && !this.#source.startsWith("}}", end)) {
      const character = String.fromCodePoint(this.#source.codePointAt(end) ?? 0);
      throw new LexerFault(`bad character ${JSON.stringify(character)}`, end);
    }
    const text = this.#source.slice(start, end);
    this.#push(type === "identifier" ? typeOfWord(text) : text === "." ? "dot" : type, start, end);
  }

  #isSpace(at: number): boolean {
    const character = this.#source[at];
    return character !== undefined && trimmed.includes(character);
  }

  #isLeftTrim(at: number): boolean {
    return this.#source[at] === "-" && this.#isSpace(at + 1);
  }

  /** Returns the start of the blanks before a place. */
  #skipBack(at: number, start: number): number {
    let end = at;
    while (end > start && this.#isSpace(end - 1)) end -= 1;
    return end;
  }
}

function typeOfWord(text: string): TokenType {
  if (keywords.has(text)) return "keyword";
  if (text === "nil") return "nil";
  return text === "true" || text === "false" ? "boolean" : "identifier";
}
