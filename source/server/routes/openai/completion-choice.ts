// A choice of a completion: its events as text pieces with log-probabilities.
import type { CanonicalEvent } from "../../../engine/request.ts";
import { CompletionLogprobLists, type CompletionLogprobs } from "./completion-logprobs.ts";
import { TokenMeter } from "./usage.ts";

export interface CompletionPiece {
  text: string;
  index: number;
  logprobs: CompletionLogprobs | null;
  /** Null for all but the last. */
  finish_reason: string | null;
}

export interface CompletionChoiceOptions {
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
  readonly #logprobs: CompletionLogprobLists | undefined;
  #echo: string;

  constructor({ index, echo, topLogprobs }: CompletionChoiceOptions) {
    this.#index = index;
    this.#echo = echo;
    this.#logprobs =
      topLogprobs === undefined ? undefined : new CompletionLogprobLists(topLogprobs);
  }

  /** @returns undefined for events that clients do not get */
  take(event: CanonicalEvent): CompletionPiece | undefined {
    this.meter.take(event);
    if (event.type !== "text" && event.type !== "done") return undefined;
    const text = this.#echo + (event.type === "text" ? event.text : "");
    this.#echo = "";
    const logprobs = event.type === "text" ? event.logprobs : undefined;
    return {
      text,
      index: this.#index,
      logprobs: logprobs === undefined ? null : (this.#logprobs?.lists(logprobs) ?? null),
      finish_reason: event.type === "done" ? event.reason : null,
    };
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
