// The tokens of a template, one after another, for its parsers.
import { TemplateFault } from "../template-fault.ts";
import type { Token, TokenKind } from "./lexer.ts";

/** Expressions and blocks inside one another. */
const deepestNesting = 200;

export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #last: Token;
  #index = 0;
  #depth = 0;

  /** @param tokens ending with the one of kind `end` */
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
    this.#index += 1;
    return token;
  }

  /** Remembers the place: which names stand between it and a later one. */
  mark(): { namesSince: () => ReadonlySet<string> } {
    const from = this.#index;
    return {
      namesSince: () =>
        new Set(
          this.#tokens
            .slice(from, this.#index)
            .flatMap(({ kind, text }) => (kind === "name" ? [text] : [])),
        ),
    };
  }

  is(kind: TokenKind, text?: string): boolean {
    const { current } = this;
    return current.kind === kind && (text === undefined || current.text === text);
  }

  skip(kind: TokenKind, text?: string): boolean {
    if (!this.is(kind, text)) return false;
    this.#index += 1;
    return true;
  }

  expect(kind: TokenKind, text?: string): Token {
    if (this.is(kind, text)) return this.next();
    throw this.fault(
      `expected ${text === undefined ? `a ${kind}` : `\`${text}\``}, found ${this.found}`,
    );
  }

  /** How the current token is called in messages. */
  get found(): string {
    const { kind, text } = this.current;
    return kind === "end" ? "the end of the template" : `\`${kind === "text" ? "text" : text}\``;
  }

  fault(message: string, at = this.current.at): TemplateFault {
    return new TemplateFault(message, at);
  }

  nested<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > deepestNesting) throw this.fault(`it nests more than ${deepestNesting} deep`);
    const result = parse();
    this.#depth -= 1;
    return result;
  }
}
