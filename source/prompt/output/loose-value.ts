// Values in notations close to JSON: Python literals, and Gemma 4's notation.

/** Notation of strings; everything else is common to all notations. */
export interface LooseNotation {
  /** Marks that begin and end a string. */
  quotes: readonly string[];
  /** True if a backslash escapes inside a string. */
  hasEscapes: boolean;
}

export const pythonNotation: LooseNotation = { quotes: ['"', "'"], hasEscapes: true };

const words: Record<string, unknown> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  none: null,
};

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/**
 * Reads a whole text as one value: strings, numbers, words for true, false and null, lists and
 * tuples, objects with quoted or bare keys.
 *
 * @returns undefined for any other text
 */
export function parseLooseValue(text: string, notation: LooseNotation): unknown {
  const parser = new LooseParser(text, notation);
  const value = parser.value();
  return parser.isAtEnd() ? value : undefined;
}

class LooseParser {
  readonly #text: string;
  readonly #notation: LooseNotation;
  #at = 0;

  constructor(text: string, notation: LooseNotation) {
    this.#text = text;
    this.#notation = notation;
  }

  isAtEnd(): boolean {
    this.#skipSpace();
    return this.#at === this.#text.length;
  }

  /** Returns undefined if no value follows. */
  value(depth = 0): unknown {
    if (depth > 64) return undefined;
    this.#skipSpace();
    if (this.#skip("[")) return this.#list("]", depth);
    if (this.#skip("(")) return this.#list(")", depth);
    if (this.#skip("{")) return this.#object(depth);
    return this.#string() ?? this.#word();
  }

  #list(close: string, depth: number): unknown {
    const items: unknown[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#skip(close)) return items;
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      this.#skipSpace();
      if (!this.#skip(",") && !this.#text.startsWith(close, this.#at)) return undefined;
    }
  }

  #object(depth: number): unknown {
    const members: Array<[string, unknown]> = [];
    for (;;) {
      this.#skipSpace();
      if (this.#skip("}")) return Object.fromEntries(members);
      const key = this.#string() ?? this.#bareKey();
      this.#skipSpace();
      if (key === undefined || !this.#skip(":")) return undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      members.push([key, value]);
      this.#skipSpace();
      if (!this.#skip(",") && !this.#text.startsWith("}", this.#at)) return undefined;
    }
  }

  #string(): string | undefined {
    const quote = this.#notation.quotes.find((mark) => this.#text.startsWith(mark, this.#at));
    if (quote === undefined) return undefined;
    let at = this.#at + quote.length;
    let value = "";
    while (!this.#text.startsWith(quote, at)) {
      if (at >= this.#text.length) return undefined;
      const character = this.#text.charAt(at);
      if (character === "\\" && this.#notation.hasEscapes) {
        const code = /^(?:u([\da-fA-F]{4})|x([\da-fA-F]{2}))/.exec(
          this.#text.slice(at + 1, at + 6),
        );
        const digits = code?.[1] ?? code?.[2];
        const escaped = this.#text.charAt(at + 1);
        value +=
          digits === undefined
            ? (escapes[escaped] ?? escaped)
            : String.fromCharCode(Number.parseInt(digits, 16));
        at += 2 + (digits?.length ?? 0);
      } else {
        value += character;
        at += 1;
      }
    }
    this.#at = at + quote.length;
    return value;
  }

  #word(): unknown {
    const word = this.#match(/[-+.\w]+/y);
    if (word === undefined) return undefined;
    if (Object.hasOwn(words, word)) return words[word];
    return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(word) ? Number(word) : undefined;
  }

  #bareKey(): string | undefined {
    return this.#match(/[^\s:{}[\],][^:{}[\],]*/y)?.trimEnd();
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #skip(literal: string): boolean {
    if (!this.#text.startsWith(literal, this.#at)) return false;
    this.#at += literal.length;
    return true;
  }

  #skipSpace(): void {
    this.#match(/\s+/y);
  }
}
