// Notes for the user about how an answer ended, in sentences.
import type { AnswerStatistics } from "./chat-events.ts";

/** One sentence for each deviation from the request; the length limit is reported elsewhere. */
export function endingSentences({ finishReason, truncated }: AnswerStatistics): string[] {
  return [
    ...(truncated === undefined
      ? []
      : [`${truncationText(truncated)}, to fit the context window.`]),
    ...(finishReason === "cancelled" ? ["The server cancelled the answer."] : []),
  ];
}

/** `The 4 oldest messages were left out`. */
export function truncationText({ messages }: { messages: number }): string {
  return messages === 1
    ? "The oldest message was left out"
    : `The ${messages} oldest messages were left out`;
}
