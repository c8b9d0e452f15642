// Cursor over a template's tokens.

import { TemplateFault } from "../template-fault.ts";
import type { Token, TokenType } from "./lexer.ts";

export class TokenCursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  /** @param tokens the last being `end` or `error` */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** @throws TemplateFault when the lexer stopped here */
  peek(): Token {
    const token = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)];
    if (token === undefined) return { type: "end", text: "", at: 0 };
    if (token.type === "error") throw new TemplateFault(token.text, token.at);
    return token;
  }

  next(): Token {
    const token = this.peek();
    this.#at += 1;
    return token;
  }

  back(): void {
    this.#at -= 1;
  }

  /** Returns the next token that is not a space, without consuming it. */
  peekWord(): Token {
    if (this.peek().type === "space") this.#at += 1;
    return this.peek();
  }

  nextWord(): Token {
    this.peekWord();
    return this.next();
  }

  /** Returns the keyword after the current token, if any. */
  wordAfter(): string | undefined {
    const behind = this.#tokens.slice(this.#at + 1, this.#at + 3);
    const word = behind.find(({ type }) => type !== "space");
    return word?.type === "keyword" ? word.text : undefined;
  }

  expect(type: TokenType, context: string): Token {
    const token = this.nextWord();
    if (token.type === type) return token;
    throw unexpected(token, context);
  }
}

export function unexpected(token: Token, context: string): TemplateFault {
  return new TemplateFault(`unexpected ${describe(token)} in ${context}`, token.at);
}

function describe({ type, text }: Token): string {
  if (type === "end") return "end of the template";
  if (type === "keyword") return `<${text}>`;
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}
