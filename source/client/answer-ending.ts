// What a person should know of how an answer came about, in sentences.
import type { AnswerStatistics } from "./chat-events.ts";

/** One sentence for each thing that is not as asked for; the length limit is told by others. */
export function endingSentences({ finishReason, truncated }: AnswerStatistics): string[] {
  return [
    ...(truncated === undefined ? [] : [`${leftOutText(truncated)}, to fit the context window.`]),
    ...(finishReason === "cancelled" ? ["The answer was cancelled at the server."] : []),
  ];
}

/** `The 4 oldest messages were left out`. */
export function leftOutText({ messages }: { messages: number }): string {
  return messages === 1
    ? "The oldest message was left out"
    : `The ${messages} oldest messages were left out`;
}
