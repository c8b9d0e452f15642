// A choice of a completion: its events as text pieces, with log-probabilities in parallel lists.
import type { TokenLogprob } from "../../../engine/generation.ts";
import type { CanonicalEvent } from "../../../engine/request.ts";
import { TokenMeter } from "./reply-fields.ts";

export interface CompletionPiece {
  text: string;
  index: number;
  logprobs: CompletionLogprobs | null;
  /** Null for all but the last. */
  finish_reason: string | null;
}

interface CompletionChoiceOptions {
  index: number;
  /** Text in front of the answer. */
  echo: string;
  /** Undefined when log-probabilities are off. */
  topLogprobs: number | undefined;
}

/** Takes the choice's events up to `done`. */
export class CompletionChoice {
  readonly meter = new TokenMeter();
  readonly #index: number;
  readonly #topLogprobs: number | undefined;
  readonly #decoder = new TextDecoder();
  /** Characters of the text so far. */
  #characters = 0;
  #echo: string;

  constructor({ index, echo, topLogprobs }: CompletionChoiceOptions) {
    this.#index = index;
    this.#echo = echo;
    this.#topLogprobs = topLogprobs;
  }

  /** @returns nothing for events that clients do not get */
  take(event: CanonicalEvent): CompletionPiece[] {
    this.meter.take(event);
    if (event.type !== "text" && event.type !== "done") return [];
    const isText = event.type === "text";
    const text = this.#echo + (isText ? event.text : "");
    this.#echo = "";
    return [
      {
        text,
        index: this.#index,
        logprobs: isText ? this.#logprobs(event.logprobs) : null,
        finish_reason: isText ? null : event.reason,
      },
    ];
  }

  #logprobs(logprobs: readonly TokenLogprob[] | undefined): CompletionLogprobs | null {
    if (logprobs === undefined || this.#topLogprobs === undefined) return null;
    return {
      tokens: logprobs.map(({ token }) => token),
      token_logprobs: logprobs.map(({ logprob }) => logprob),
      top_logprobs: this.#topLogprobs === 0 ? null : logprobs.map(alternatives),
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

/** Joins the pieces of one choice. */
export function joinPieces(pieces: readonly CompletionPiece[]): CompletionPiece | undefined {
  const last = pieces.at(-1);
  if (last === undefined) return undefined;
  const parts = pieces.map(({ logprobs }) => logprobs).filter((part) => part !== null);
  const tops = parts.map(({ top_logprobs }) => top_logprobs).filter((top) => top !== null);
  return {
    ...last,
    text: pieces.map(({ text }) => text).join(""),
    logprobs:
      parts.length === 0
        ? null
        : {
            tokens: parts.flatMap(({ tokens }) => tokens),
            token_logprobs: parts.flatMap(({ token_logprobs }) => token_logprobs),
            top_logprobs: tops.length === 0 ? null : tops.flat(),
            text_offset: parts.flatMap(({ text_offset }) => text_offset),
          },
  };
}

interface CompletionLogprobs {
  tokens: string[];
  token_logprobs: number[];
  /** Null when no alternatives were requested. */
  top_logprobs: Array<Record<string, number>> | null;
  /** Offset of each token in the whole text, in characters. */
  text_offset: number[];
}

/** The chosen token is always included, so there may be one more than requested. */
function alternatives({ token, logprob, top }: TokenLogprob): Record<string, number> {
  const listed = top.map((alternative) => [alternative.token, alternative.logprob] as const);
  // Not a plain assignment: a token may be called __proto__.
  return Object.fromEntries([[token, logprob], ...listed, [token, logprob]]);
}
