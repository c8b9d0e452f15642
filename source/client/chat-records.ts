// Reads the records of a native answer as events.

import { toOneLine } from "../base/display-text.ts";
import { isRecord } from "../base/json-record.ts";
import type { AnswerStatistics, ChatEvent } from "./chat-events.ts";

export function* toEvents(record: Record<string, unknown>): Generator<ChatEvent> {
  const count = (value: unknown) => (typeof value === "number" ? value : 0);
  switch (record.status) {
    case "queued":
      yield { type: "queued", ahead: count(record.queue_position) };
      return;
    case "checking": {
      const file = typeof record.file === "string" ? toOneLine(record.file) : "the model's file";
      const fraction = count(record.completed) / Math.max(1, count(record.total));
      yield { type: "checking", file, fraction };
      return;
    }
    case "loading":
      yield { type: "loading", fraction: count(record.completed) };
      return;
    case "prompt": {
      const completedTokens = count(record.completed);
      yield { type: "prompt", completedTokens, totalTokens: count(record.total) };
      return;
    }
  }
  const { message } = record;
  const thinking = isRecord(message) ? message.thinking : record.thinking;
  if (typeof thinking === "string" && thinking !== "") yield { type: "thinking", text: thinking };
  const text = isRecord(message) ? message.content : record.response;
  if (typeof text === "string" && text !== "") yield { type: "text", text };
  if (isRecord(message) && Array.isArray(message.tool_calls)) yield* toolCalls(message.tool_calls);
  if (record.done === true) yield { type: "done", statistics: toStatistics(record) };
}

function* toolCalls(calls: readonly unknown[]): Generator<ChatEvent> {
  for (const call of calls) {
    const called = isRecord(call) ? call.function : undefined;
    if (!isRecord(called) || typeof called.name !== "string") continue;
    const values = isRecord(called.arguments) ? called.arguments : {};
    yield { type: "tool-call", name: called.name, arguments: values };
  }
}

function toStatistics(record: Record<string, unknown>): AnswerStatistics {
  const milliseconds = (value: unknown) => (typeof value === "number" ? value / 1e6 : 0);
  const count = (value: unknown) => (typeof value === "number" ? value : 0);
  const reasons = ["stop", "length", "cancelled", "load", "unload"] as const;
  return {
    finishReason: reasons.find((reason) => reason === record.done_reason) ?? "stop",
    promptTokens: count(record.prompt_eval_count),
    cachedTokens: count(record.prompt_eval_cached_count),
    completionTokens: count(record.eval_count),
    loadMs: milliseconds(record.load_duration),
    promptMs: milliseconds(record.prompt_eval_duration),
    completionMs: milliseconds(record.eval_duration),
    totalMs: milliseconds(record.total_duration),
    ...(isRecord(record.truncated) && {
      truncated: {
        messages: count(record.truncated.messages),
        tokens: count(record.truncated.tokens),
      },
    }),
  };
}
