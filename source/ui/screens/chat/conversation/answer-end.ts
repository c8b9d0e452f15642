// The end of an answer: reads up to it, and describes it for transcript and status line.

import { formatMilliseconds } from "../../../../base/formats.ts";
import { describeError } from "../../../../base/product-error.ts";
import type { AnswerStatistics, ChatEvent } from "../../../../client/chat-events.ts";
import type { AnswerState } from "./transcript-entry.ts";

export type AnswerEnd =
  | { readonly kind: "done"; readonly statistics: AnswerStatistics }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly sentence: string };

/**
 * Passes every event before the last to `onEvent` and returns how the answer ended. An abort ends it at
 * once, even when the stream itself takes its time or never reacts.
 */
export async function consumeAnswer(
  openStream: () => AsyncIterable<ChatEvent>,
  signal: AbortSignal,
  onEvent: (event: Exclude<ChatEvent, { type: "done" }>) => void,
): Promise<AnswerEnd> {
  const aborted = whenAborted(signal);
  let iterator: AsyncIterator<ChatEvent> | undefined;
  try {
    iterator = openStream()[Symbol.asyncIterator]();
    while (!signal.aborted) {
      const next = iterator.next();
      // The loser of the race may still fail later, which is ignored.
      next.catch(() => {});
      const result = await Promise.race([next, aborted]);
      if (result === "aborted") break;
      if (result.done) return { kind: "failed", sentence: "The answer ended unexpectedly." };
      const event = result.value;
      if (event.type === "done") return { kind: "done", statistics: event.statistics };
      onEvent(event);
    }
    return { kind: "stopped" };
  } catch (error) {
    return signal.aborted
      ? { kind: "stopped" }
      : { kind: "failed", sentence: describeError(error) };
  } finally {
    // Frees the connection; does nothing for a finished stream.
    iterator?.return?.()?.catch(() => {});
  }
}

function whenAborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}

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
