// Token stream for the parsers of a template.
import { deepestNesting } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import type { Token, TokenKind } from "./lexer.ts";

export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #last: Token;
  /** Indexes at which names were last read. */
  readonly #lastOfName = new Map<string, number>();
  #index = 0;
  #depth = 0;

  /** @param tokens ending with one of kind `end` */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#last = tokens.at(-1) ?? { kind: "end", text: "", at: 0 };
  }

  get current(): Token {
    return this.#tokens[this.#index] ?? this.#last;
  }

  get following(): Token {
    return this.#tokens[this.#index + 1] ?? this.#last;
  }

  next(): Token {
    const token = this.current;
    if (token.kind === "name") this.#lastOfName.set(token.text, this.#index);
    this.#index += 1;
    return token;
  }

  /** Remembers the place, to tell later if a name was read after it. */
  mark(): { hasRead: (name: string) => boolean } {
    const from = this.#index;
    return { hasRead: (name) => (this.#lastOfName.get(name) ?? -1) >= from };
  }

  is(kind: TokenKind, text?: string): boolean {
    const { current } = this;
    return current.kind === kind && (text === undefined || current.text === text);
  }

  skip(kind: TokenKind, text?: string): boolean {
    if (!this.is(kind, text)) return false;
    this.next();
    return true;
  }

  expect(kind: TokenKind, text?: string): Token {
    if (this.is(kind, text)) return this.next();
    throw this.fault(
      `expected ${text === undefined ? `a ${kind}` : `\`${text}\``}, found ${this.found}`,
    );
  }

  /** Returns a description of the current token for messages. */
  get found(): string {
    const { kind, text } = this.current;
    return kind === "end" ? "the end of the template" : `\`${kind === "text" ? "text" : text}\``;
  }

  fault(message: string, at = this.current.at): TemplateFault {
    return new TemplateFault(message, at);
  }

  nested<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > deepestNesting)
      throw this.fault(`it is nested more than ${deepestNesting} deep`);
    const result = parse();
    this.#depth -= 1;
    return result;
  }
}
