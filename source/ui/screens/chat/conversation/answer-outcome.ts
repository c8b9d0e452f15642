// How an answer ended, as the transcript and the status line tell it.

import { formatMilliseconds } from "../../../../base/time-format.ts";
import type { AnswerStatistics } from "../../../../client/chat-events.ts";
import type { AnswerFigures } from "../chat-state.ts";
import type { AnswerEnd } from "./consume-answer.ts";
import { type AnswerState, nextEntryId, type TranscriptEntry } from "./transcript-entry.ts";

/** How an answer stands whose last record has come. */
export function stateAfter({ finishReason }: AnswerStatistics): AnswerState {
  if (finishReason === "cancelled") return "stopped";
  return finishReason === "length" ? "limit" : "complete";
}

export function answerStateOf(end: AnswerEnd): AnswerState {
  if (end.kind !== "done") return end.kind;
  return stateAfter(end.statistics);
}

export function figuresOf(ttftMs: number | undefined, end: AnswerEnd): AnswerFigures {
  return { ttftMs, statistics: end.kind === "done" ? end.statistics : undefined };
}

export function tokensAfter({ statistics }: Extract<AnswerEnd, { kind: "done" }>): number {
  return statistics.promptTokens + statistics.completionTokens;
}

/** `62 tok/s · 182 ms`, for the headline of an answer; in front, what of the conversation it missed. */
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

/** What the person can do about a failure. */
export function nextKeys(sentence: string, isAnswered: boolean, isRepeated: boolean): string {
  if (/does not support images/.test(sentence)) {
    return "Ctrl+T takes a model that sees · Ctrl+N begins without the images";
  }
  if (isAnswered || isRepeated) return "/regenerate tries again · Ctrl+T takes another model";
  return "your message is back: Enter tries again · Ctrl+T takes another model";
}

export function withError(
  entries: readonly TranscriptEntry[],
  sentence: string,
  next: string,
): readonly TranscriptEntry[] {
  return [...entries, { kind: "error", id: nextEntryId(entries), text: sentence, next }];
}
