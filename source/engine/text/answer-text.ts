// Conversion of an answer's tokens into text: whole characters only, without stop strings, with
// log-probabilities beside their text.
import type { TokenLogprob } from "../generation.ts";
import { StopMatcher } from "./stop-matcher.ts";

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
