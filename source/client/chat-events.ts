// Messages and events of a chat, and reading them from a streamed reply.
import { toOneLine } from "../base/display-text.ts";
import { isRecord } from "../base/json-record.ts";

/** A tool call of the model. */
export interface ClientToolCall {
  function: { name: string; arguments: Readonly<Record<string, unknown>> };
}

/** A message as `/api/chat` accepts it. */
export interface ClientMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  /** Base64 of each image's bytes. */
  images?: readonly string[];
  tool_calls?: readonly ClientToolCall[];
}

/** Counts and times of a finished answer, in milliseconds, measured by the server. */
export interface AnswerStatistics {
  /**
   * `stop`: end token or stop string. `length`: token limit or window full. `cancelled`: somebody ended
   * the request at the server.
   */
  finishReason: "stop" | "length" | "cancelled" | "load" | "unload";
  promptTokens: number;
  /** Prompt tokens that were not computed again. */
  cachedTokens: number;
  completionTokens: number;
  loadMs: number;
  promptMs: number;
  completionMs: number;
  totalMs: number;
  /** Omitted part of the conversation; absent if it was read whole. */
  truncated?: { messages: number; tokens: number };
}

export type ChatEvent =
  /** The server is gone, and another one is being started. */
  | { type: "starting" }
  /** The request is queued behind `ahead` others. */
  | { type: "queued"; ahead: number }
  /** A model file with a new date is checked for changes. */
  | { type: "checking"; file: string; fraction: number }
  /** The model's weights are being read; `fraction` 0 to 1. */
  | { type: "loading"; fraction: number }
  /** The prompt is being read. */
  | { type: "prompt"; completedTokens: number; totalTokens: number }
  | { type: "text"; text: string }
  /** The model's thinking before its answer. */
  | { type: "thinking"; text: string }
  | { type: "tool-call"; name: string; arguments: Readonly<Record<string, unknown>> }
  | { type: "done"; statistics: AnswerStatistics };

/** Facts about a chat's model. */
export interface ModelFacts {
  /** The name to send as `model`. */
  name: string;
  /** Name under which it is loaded, if it is. */
  loadedAs?: string | undefined;
  /** Window of one conversation in tokens; undefined while unknown. */
  contextLength: number | undefined;
  /** Sentence about the model's capabilities. */
  card: string | undefined;
  /** Questions that it answers well. */
  examples?: readonly string[];
}

/** Yields the events of a record of a streamed reply. */
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
