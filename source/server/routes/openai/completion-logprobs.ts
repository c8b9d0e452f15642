// Log-probabilities in the shape of the older completions: lists beside each other.
import type { TokenLogprob } from "../../../engine/generation.ts";

export interface CompletionLogprobs {
  tokens: string[];
  token_logprobs: number[];
  /** Null when no alternatives were asked for. */
  top_logprobs: Array<Record<string, number>> | null;
  /** Where in the whole text each token begins, in characters. */
  text_offset: number[];
}

/** Keeps count of the text over the pieces of one choice. */
export class CompletionLogprobLists {
  readonly #top: number;
  readonly #decoder = new TextDecoder();
  #characters = 0;

  /** @param top how many alternatives were asked for */
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

  /** A token may end in the middle of a character: the next one then begins at the same place. */
  #advance(bytes: readonly number[]): number {
    const offset = this.#characters;
    const text = this.#decoder.decode(Uint8Array.from(bytes), { stream: true });
    this.#characters += [...text].length;
    return offset;
  }
}

/** The chosen token is always among them, so there may be one more than was asked for. */
function alternatives({ token, logprob, top }: TokenLogprob): Record<string, number> {
  const listed = top.map((alternative) => [alternative.token, alternative.logprob] as const);
  // Not plain assignment: a token may be called __proto__.
  return Object.fromEntries([[token, logprob], ...listed, [token, logprob]]);
}
