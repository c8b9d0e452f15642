// The end of an answer, described for transcript and status line.

import { formatMilliseconds } from "../../base/formats.ts";
import type { AnswerStatistics } from "../../client/chat-events.ts";
import type { AnswerState } from "./transcript-entry.ts";

export type AnswerEnd =
  | { readonly kind: "done"; readonly statistics: AnswerStatistics }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly sentence: string };

/** The state of an answer after its last record. */
export function stateAfter({ finishReason }: AnswerStatistics): AnswerState {
  if (finishReason === "cancelled") return "stopped";
  return finishReason === "length" ? "limit" : "complete";
}

export function answerStateOf(end: AnswerEnd): AnswerState {
  return end.kind === "done" ? stateAfter(end.statistics) : end.kind;
}

/** Returns the headline of an answer, `62 tok/s · 182 ms`, after the number of dropped turns. */
export function noteOf(ttftMs: number | undefined, end: AnswerEnd): string {
  if (end.kind !== "done") return "";
  const { completionTokens, completionMs, truncated } = end.statistics;
  const rate =
    completionMs > 0 ? `${((completionTokens * 1000) / completionMs).toFixed(0)} tok/s` : "";
  const wait = ttftMs === undefined ? "" : formatMilliseconds(ttftMs);
  const missed = truncated === undefined ? "" : `without ${oldest(truncated.messages)}`;
  return [missed, rate, wait].filter((part) => part !== "").join(" · ");
}

function oldest(messages: number): string {
  return messages === 1 ? "the oldest message" : `the ${messages} oldest messages`;
}

/** Returns advice on a failure. */
export function nextKeys(sentence: string, isAnswered: boolean, isRepeated: boolean): string {
  if (/does not support images/.test(sentence)) {
    return "Ctrl+T to use a vision model · Ctrl+N to start without the images";
  }
  if (isAnswered || isRepeated) return "/regenerate to try again · Ctrl+T to switch model";
  return "message restored: Enter to try again · Ctrl+T to switch model";
}
