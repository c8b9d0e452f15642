// Events of a chat through our own API, as the terminal and the command line receive them.

/** A call of a tool that the model asks for. */
export interface ClientToolCall {
  function: { name: string; arguments: Readonly<Record<string, unknown>> };
}

/** A message of a conversation, as `/api/chat` takes it. */
export interface ClientMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  /** Base64 of each image's bytes. */
  images?: readonly string[];
  tool_calls?: readonly ClientToolCall[];
}

/** Counts and times of a finished answer. Times are milliseconds, as the server measured them. */
export interface AnswerStatistics {
  /**
   * `stop`: end token or stop string. `length`: token limit or window full. `cancelled`: somebody ended
   * the request at the server.
   */
  finishReason: "stop" | "length" | "cancelled" | "load" | "unload";
  promptTokens: number;
  /** Prompt tokens that were already in the slot and were not computed again. */
  cachedTokens: number;
  completionTokens: number;
  loadMs: number;
  promptMs: number;
  completionMs: number;
  totalMs: number;
  /** The part of the conversation that was left out; absent when all of it was read. */
  truncated?: { messages: number; tokens: number };
}

export type ChatEvent =
  /** The server has gone, and another one is being started. */
  | { type: "starting" }
  /** The request waits; `ahead` requests are before it. */
  | { type: "queued"; ahead: number }
  /** A file of the model that bears another date is read, to tell whether it has changed. */
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

/** Facts about the model that a chat runs on, for title and context-fill displays. */
export interface ModelFacts {
  /** The name to send as `model`. */
  name: string;
  /** Under which name it is loaded, if it is. */
  loadedAs?: string | undefined;
  /** Window of one conversation in tokens; undefined while unknown. */
  contextLength: number | undefined;
  /** A sentence on the model's capabilities, if it has one. */
  card: string | undefined;
  /** Questions that it answers well; may be empty. */
  examples?: readonly string[];
}
