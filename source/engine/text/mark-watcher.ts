// Watcher for the marks in an answer after which a grammar applies.
import { ProductError } from "../../base/product-error.ts";
import { type LazyGrammar, lazyCallGrammars } from "../../prompt/grammar/lazy-calls.ts";
import { compactStart } from "../../prompt/output/compact-start.ts";
import type { LazyGrammars } from "../generation.ts";

export interface FoundMark {
  grammar: LazyGrammar;
  /** Text after the mark that the same token wrote. */
  behind: string;
}

/**
 * Keeps only as much of the answer as could begin a mark, so that an answer without one costs next to
 * nothing.
 */
export class MarkWatcher {
  /** Tokens of the answer so far. */
  readonly tokens: number[] = [];
  readonly #lazy: LazyGrammars;
  readonly #marked: readonly LazyGrammar[];
  readonly #compact: readonly LazyGrammar[];
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #longest: number;
  /** True if the request has no marks at all. */
  readonly #isIdle: boolean;
  #text = "";
  #place: "start" | "thinking" | "answer" | "done";
  /** The answer itself consists only of white space so far. */
  #isAtStart = true;

  constructor(lazy: LazyGrammars, grammars = lazyCallGrammars(lazy.calls)) {
    this.#lazy = lazy;
    this.#marked = grammars.filter(({ isCompact }) => isCompact !== true);
    this.#compact = grammars.filter(({ isCompact }) => isCompact === true);
    this.#isIdle = grammars.length === 0;
    this.#place = lazy.thinking?.startsInside === true ? "thinking" : "start";
    const { open = "", close = "" } = lazy.thinking ?? {};
    const texts = [open, close, ...this.#marked.map(({ mark }) => mark)];
    this.#longest = Math.max(...texts.map((text) => text.length));
  }

  /**
   * @param bytes of the next token; control tokens other than marks have none
   * @param token for `tokens`
   * @returns the first mark, once: afterwards it stops watching
   */
  push(bytes: Uint8Array, token?: number): FoundMark | undefined {
    if (this.#place === "done" || this.#isIdle) return undefined;
    if (token !== undefined) this.tokens.push(token);
    this.#text += this.#decoder.decode(bytes, { stream: true });
    if (this.#place === "start" && !this.#leaveStart()) return undefined;
    if (this.#place === "thinking" && !this.#leaveThinking()) return undefined;
    return this.#find();
  }

  /** Decides between thinking and the answer; returns false while both are possible. */
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
    for (const grammar of this.#marked) {
      const at = this.#text.indexOf(grammar.mark);
      if (at < 0 || (grammar.isOnlyAtStart && !(this.#isAtStart && at === 0))) continue;
      if (found === undefined || at < found.at) {
        found = { grammar, at, behind: this.#text.slice(at + grammar.mark.length) };
      }
    }
    const compact = this.#isAtStart ? compactStart(this.#text, this.#compact) : undefined;
    if (found === undefined && typeof compact === "object") {
      found = { grammar: compact.start, at: 0, behind: compact.behind };
    }
    if (found !== undefined) {
      this.#place = "done";
      return { grammar: found.grammar, behind: found.behind };
    }
    this.#isAtStart &&=
      compact === "maybe" || this.#marked.some(({ mark }) => mark.startsWith(this.#text));
    if (!this.#isAtStart) this.#text = this.#text.slice(-this.#longest);
    return undefined;
  }
}

/** Returns undefined if a tool has an argument that no value fits: its calls stay unconstrained. */
export function grammarOf({ grammar }: FoundMark): string | undefined {
  try {
    return grammar.write();
  } catch (error) {
    if (error instanceof ProductError) return undefined;
    throw error;
  }
}
