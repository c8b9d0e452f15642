// Watches an answer for the marks behind which it is to follow a grammar.
import { ProductError } from "../../base/product-error.ts";
import { type LazyGrammar, lazyCallGrammars } from "../../prompt/grammar/lazy-calls.ts";
import type { LazyGrammars } from "../generation.ts";

export interface FoundMark {
  grammar: LazyGrammar;
  /** What has been written behind the mark already, in the token that completed it. */
  behind: string;
}

/**
 * Keeps no more of the answer than could be the beginning of a mark, so that an answer without one
 * costs next to nothing.
 */
export class MarkWatcher {
  /** Those of the answer so far. */
  readonly tokens: number[] = [];
  readonly #lazy: LazyGrammars;
  readonly #grammars: readonly LazyGrammar[];
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #longest: number;
  #text = "";
  #place: "start" | "thinking" | "answer" | "done";
  /** Nothing but white space has come of the answer itself. */
  #isAtStart = true;

  constructor(lazy: LazyGrammars, grammars = lazyCallGrammars(lazy.calls)) {
    this.#lazy = lazy;
    this.#grammars = grammars;
    this.#place = lazy.thinking?.startsInside === true ? "thinking" : "start";
    const { open = "", close = "" } = lazy.thinking ?? {};
    const texts = [open, close, ...grammars.map(({ mark }) => mark)];
    this.#longest = Math.max(...texts.map((text) => text.length));
  }

  /**
   * @param bytes the next token's; control tokens that are no marks have none
   * @param token for `tokens`
   * @returns the first mark, once: afterwards the answer is watched no more
   */
  push(bytes: Uint8Array, token?: number): FoundMark | undefined {
    if (this.#place === "done" || this.#grammars.length === 0) return undefined;
    if (token !== undefined) this.tokens.push(token);
    this.#text += this.#decoder.decode(bytes, { stream: true });
    if (this.#place === "start" && !this.#leaveStart()) return undefined;
    if (this.#place === "thinking" && !this.#leaveThinking()) return undefined;
    return this.#find();
  }

  /** Decides between thinking and the answer; false while either is possible. */
  #leaveStart(): boolean {
    const open = this.#lazy.thinking?.open.trimStart();
    const begun = this.#text.trimStart();
    if (open !== undefined && begun.startsWith(open)) {
      this.#text = begun.slice(open.length);
      this.#place = "thinking";
      return true;
    }
    if (open?.startsWith(begun) === true) return false;
    this.#place = "answer";
    return true;
  }

  #leaveThinking(): boolean {
    const close = this.#lazy.thinking?.close ?? "";
    const at = this.#text.indexOf(close);
    if (at < 0) {
      this.#text = this.#text.slice(-this.#longest);
      return false;
    }
    this.#text = this.#text.slice(at + close.length);
    this.#place = "answer";
    return true;
  }

  #find(): FoundMark | undefined {
    if (this.#isAtStart) this.#text = this.#text.trimStart();
    let found: (FoundMark & { at: number }) | undefined;
    for (const grammar of this.#grammars) {
      const at = this.#text.indexOf(grammar.mark);
      if (at < 0 || (grammar.isOnlyAtStart && !(this.#isAtStart && at === 0))) continue;
      if (found === undefined || at < found.at) {
        found = { grammar, at, behind: this.#text.slice(at + grammar.mark.length) };
      }
    }
    if (found !== undefined) {
      this.#place = "done";
      return { grammar: found.grammar, behind: found.behind };
    }
    this.#isAtStart &&= this.#grammars.some(({ mark }) => mark.startsWith(this.#text));
    if (!this.#isAtStart) this.#text = this.#text.slice(-this.#longest);
    return undefined;
  }
}

/** Undefined where a tool has an argument that no value fits: its calls cannot be held to anything. */
export function grammarOf({ grammar }: FoundMark): string | undefined {
  try {
    return grammar.write();
  } catch (error) {
    if (error instanceof ProductError) return undefined;
    throw error;
  }
}
