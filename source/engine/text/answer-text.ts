// Conversion of an answer's tokens into text: whole characters only, without stop strings, with
// log-probabilities beside their text.
import type { TokenLogprob } from "../generation.ts";

export interface AnswerPiece {
  text: string;
  logprobs: TokenLogprob[];
  /** Stop string that ended the answer, if any. */
  stop: string | undefined;
}

export class AnswerText {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #stops: StopMatcher;
  /** Log-probabilities whose text is still held back, with the start of their text. */
  #waiting: Array<{ start: number; logprob: TokenLogprob }> = [];
  #decodedLength = 0;
  #sentLength = 0;

  constructor(stops: readonly string[]) {
    this.#stops = new StopMatcher(stops);
  }

  /** @param bytes the token's bytes; a character may be spread over several tokens */
  push(bytes: Uint8Array, logprob?: TokenLogprob): AnswerPiece {
    const decoded = this.#decoder.decode(bytes, { stream: true });
    if (logprob !== undefined) this.#waiting.push({ start: this.#decodedLength, logprob });
    this.#decodedLength += decoded.length;
    const matched = this.#stops.push(decoded);
    return this.#release(matched.text, matched.stop);
  }

  /** Returns the held-back end of the answer. Drops an unfinished character, which has no text. */
  finish(): AnswerPiece {
    const piece = this.#release(this.#stops.finish(), undefined);
    return { ...piece, logprobs: [...piece.logprobs, ...this.#waiting.map((w) => w.logprob)] };
  }

  #release(text: string, stop: string | undefined): AnswerPiece {
    this.#sentLength += text.length;
    const sent = this.#sentLength;
    const ready = this.#waiting.filter((w) => w.start < sent).map((w) => w.logprob);
    if (ready.length > 0) this.#waiting = this.#waiting.filter((w) => w.start >= sent);
    if (stop !== undefined) this.#waiting = [];
    return { text, logprobs: ready, stop };
  }
}

export interface MatchedText {
  /** Text that is safe to send on. */
  text: string;
  /** Stop string that ended the answer, if any. */
  stop: string | undefined;
}

/**
 * Holds back the longest end of the text that could still become a stop string. The earliest match
 * wins; at the same place the one listed first.
 */
export class StopMatcher {
  readonly #stops: string[];
  #held = "";

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  push(text: string): MatchedText {
    if (this.#stops.length === 0) return { text, stop: undefined };
    this.#held += text;
    let start = -1;
    let found: string | undefined;
    for (const stop of this.#stops) {
      const at = this.#held.indexOf(stop);
      if (at >= 0 && (start < 0 || at < start)) {
        start = at;
        found = stop;
      }
    }
    if (found !== undefined) {
      const before = this.#held.slice(0, start);
      this.#held = "";
      return { text: before, stop: found };
    }
    const keep = this.#possibleStart();
    const safe = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(this.#held.length - keep);
    return { text: safe, stop: undefined };
  }

  /** Returns the held-back text when the answer ends for another reason. */
  finish(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  /** Returns the length of the longest end of the held text that could begin a stop string. */
  #possibleStart(): number {
    let longest = 0;
    for (const stop of this.#stops) {
      for (let n = Math.min(stop.length - 1, this.#held.length); n > longest; n -= 1) {
        if (this.#held.endsWith(stop.slice(0, n))) longest = n;
      }
    }
    return longest;
  }
}
