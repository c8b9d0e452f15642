// Messages and events of a chat, and reading them from a streamed reply.
import { toOneLine } from "../base/display-text.ts";
import { isRecord } from "../base/json.ts";
import { entriesOf, type Fields, fieldsOf, numberOf, textOf } from "./reply-fields.ts";

/** A tool call of the model. */
export interface ClientToolCall {
  function: { name: string; arguments: Readonly<Record<string, unknown>> };
}

/** A message as `/api/chat` accepts it. */
export interface ClientMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  /** What the person typed, if different: without attached and piped text. Not sent. */
  typed?: string;
  /** The images are those of the results before it: only models with vision get it. Not sent. */
  isOfResults?: true;
  /** Base64 of each image's bytes. */
  images?: readonly string[];
  tool_calls?: readonly ClientToolCall[];
  /** The tool whose result a message of the role `tool` is. */
  tool_name?: string;
}

/** An image of a tool's result. */
export interface ResultImage {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** A PNG. */
  readonly base64: string;
}

/** A tool that the model may call. */
export interface ClientTool {
  type: "function";
  function: {
    name: string;
    description: string;
    /** JSON schema of its arguments. */
    parameters: Readonly<Record<string, unknown>>;
  };
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
  /** Guessed tokens that steps checked, and those that were right; absent where the server does not tell. */
  drafted?: number;
  accepted?: number;
  /** Speed with the draft model relative to that without it, if that ended its use. */
  draftSpeed?: number;
  loadMs: number;
  promptMs: number;
  completionMs: number;
  totalMs: number;
  /** Omitted part of the conversation; absent if it was read whole. */
  truncated?: { messages: number; tokens: number };
}

/** A rate of fewer says nothing: one step reads them all, and takes most of its time for itself. */
const leastPromptTokens = 16;

/** Returns the prompt tokens computed per second; undefined if they were too few to measure. */
export function prefillRate({
  promptTokens = 0,
  cachedTokens = 0,
  promptMs = 0,
}: Partial<Pick<AnswerStatistics, "promptTokens" | "cachedTokens" | "promptMs">>):
  | number
  | undefined {
  const computed = promptTokens - cachedTokens;
  return computed >= leastPromptTokens && promptMs > 0 ? (computed * 1000) / promptMs : undefined;
}

export type ChatEvent =
  /** The server is gone, and another one is being started. */
  | { type: "starting" }
  /** The request is not served exactly as it asks (`window`), or another model was unloaded for it. */
  | { type: "warning"; kind: WarningKind; sentence: string }
  /** The request is queued behind `ahead` others. */
  | { type: "queued"; ahead: number }
  /** A model file with a new date is checked for changes. */
  | { type: "checking"; file: string; fraction: number }
  /** The model's weights are being read; `fraction` 0 to 1. */
  | { type: "loading"; fraction: number }
  /** The weights are read; the context window is being created. */
  | { type: "warming-up" }
  /** The prompt is being read. */
  | { type: "prompt"; completedTokens: number; totalTokens: number }
  | { type: "text"; text: string }
  /** The model's thinking before its answer. */
  | { type: "thinking"; text: string }
  | {
      type: "tool-call";
      name: string;
      arguments: Readonly<Record<string, unknown>>;
      /** True if the model wrote it without the marks of its template. */
      isFromText?: boolean;
    }
  /** A call is asked about or run here; `server` is empty for a tool that does not exist. */
  | { type: "tool-start"; name: string; server: string }
  /** A call was run here; the model goes on. */
  | {
      type: "tool-result";
      name: string;
      /** Empty for a tool that does not exist. */
      server: string;
      arguments: Readonly<Record<string, unknown>>;
      text: string;
      isError: boolean;
      /** Images of the result. */
      images?: readonly ResultImage[];
      /** The person refused it, or stopped it; absent if it ran to its end. */
      ending?: "refused" | "cancelled";
    }
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

const warningKinds = ["window", "evicted", "left-out", "tools"] as const;

type WarningKind = (typeof warningKinds)[number];

/** Yields the events of a record of a streamed reply. */
export function* toEvents(record: Fields): Generator<ChatEvent> {
  switch (record.status) {
    case "queued":
      yield { type: "queued", ahead: numberOf(record.queue_position) };
      return;
    case "checking": {
      const file = typeof record.file === "string" ? toOneLine(record.file) : "the model's file";
      const fraction = numberOf(record.completed) / Math.max(1, numberOf(record.total));
      yield { type: "checking", file, fraction };
      return;
    }
    case "warning": {
      const kind = warningKinds.find((each) => each === record.kind) ?? "window";
      yield { type: "warning", kind, sentence: toOneLine(textOf(record.warning)) };
      return;
    }
    case "loading":
      yield { type: "loading", fraction: numberOf(record.completed) };
      return;
    case "warming up":
      yield { type: "warming-up" };
      return;
    case "prompt": {
      const completedTokens = numberOf(record.completed);
      yield { type: "prompt", completedTokens, totalTokens: numberOf(record.total) };
      return;
    }
  }
  // A record of `/api/generate` has no message.
  const {
    content,
    thinking,
    tool_calls: calls,
  } = isRecord(record.message) ? record.message : { ...record, content: record.response };
  if (textOf(thinking) !== "") yield { type: "thinking", text: textOf(thinking) };
  if (textOf(content) !== "") yield { type: "text", text: textOf(content) };
  yield* toolCalls(calls);
  if (record.done === true) yield { type: "done", statistics: toStatistics(record) };
}

function* toolCalls(calls: unknown): Generator<ChatEvent> {
  for (const call of entriesOf(calls)) {
    const { name, arguments: values } = fieldsOf(call.function);
    if (typeof name !== "string") continue;
    const isFromText = call.from_text === true;
    yield {
      type: "tool-call",
      name,
      arguments: fieldsOf(values),
      ...(isFromText && { isFromText }),
    };
  }
}

function toStatistics(record: Fields): AnswerStatistics {
  const milliseconds = (value: unknown) => numberOf(value) / 1e6;
  const reasons = ["stop", "length", "cancelled", "load", "unload"] as const;
  return {
    finishReason: reasons.find((reason) => reason === record.done_reason) ?? "stop",
    promptTokens: numberOf(record.prompt_eval_count),
    cachedTokens: numberOf(record.prompt_eval_cached_count),
    completionTokens: numberOf(record.eval_count),
    drafted: numberOf(record.drafted_count),
    accepted: numberOf(record.accepted_count),
    ...(typeof record.draft_speed === "number" && { draftSpeed: record.draft_speed }),
    loadMs: milliseconds(record.load_duration),
    promptMs: milliseconds(record.prompt_eval_duration),
    completionMs: milliseconds(record.eval_duration),
    totalMs: milliseconds(record.total_duration),
    ...truncatedPart(record),
  };
}

/** Reads the omitted part of the conversation, if there is one. */
export function truncatedPart({ truncated }: Fields): Pick<AnswerStatistics, "truncated"> {
  if (!isRecord(truncated)) return {};
  const { messages, tokens } = truncated;
  return { truncated: { messages: numberOf(messages), tokens: numberOf(tokens) } };
}
