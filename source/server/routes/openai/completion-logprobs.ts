// Log-probabilities of the older completions API: parallel lists.
import type { TokenLogprob } from "../../../engine/generation.ts";

export interface CompletionLogprobs {
  tokens: string[];
  token_logprobs: number[];
  /** Null when no alternatives were requested. */
  top_logprobs: Array<Record<string, number>> | null;
  /** Offset of each token in the whole text, in characters. */
  text_offset: number[];
}

/** Tracks the text offset across the pieces of one choice. */
export class CompletionLogprobLists {
  readonly #top: number;
  readonly #decoder = new TextDecoder();
  #characters = 0;

  /** @param top number of requested alternatives */
  constructor(top: number) {
    this.#top = top;
  }

  lists(logprobs: readonly TokenLogprob[]): CompletionLogprobs {
    return {
      tokens: logprobs.map(({ token }) => token),
      token_logprobs: logprobs.map(({ logprob }) => logprob),
      top_logprobs: this.#top === 0 ? null : logprobs.map(alternatives),
      text_offset: logprobs.map(({ bytes }) => this.#advance(bytes)),
    };
  }

  /** A token may end inside a character: the next one then has the same offset. */
  #advance(bytes: readonly number[]): number {
    const offset = this.#characters;
    const text = this.#decoder.decode(Uint8Array.from(bytes), { stream: true });
    this.#characters += [...text].length;
    return offset;
  }
}

/** The chosen token is always included, so there may be one more than requested. */
function alternatives({ token, logprob, top }: TokenLogprob): Record<string, number> {
  const listed = top.map((alternative) => [alternative.token, alternative.logprob] as const);
  // Not a plain assignment: a token may be called __proto__.
  return Object.fromEntries([[token, logprob], ...listed, [token, logprob]]);
}
