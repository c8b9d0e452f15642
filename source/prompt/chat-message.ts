// A conversation as both APIs hand it over.

export type ChatRole = "system" | "developer" | "user" | "assistant" | "tool";

export interface ToolCall {
  id: string | undefined;
  name: string;
  /** Parsed arguments. */
  arguments: Record<string, unknown>;
}

/** An image of a message. What it shows is not the template's business. */
export interface ChatImage {
  /** The file, as base64. */
  base64: string;
  /** What whoever sent it says it is, such as `image/png`. */
  mimeType?: string;
  /** The character of the text before which it stands; absent: an `[img]` in the text, or its start. */
  at?: number;
  /** Where it stands in the request, for messages. */
  param?: string;
}

export interface ChatMessage {
  role: ChatRole;
  content: string;
  images?: readonly ChatImage[];
  toolCalls?: ToolCall[];
  /** Of a tool's answer: which tool, and which call it answers. */
  toolName?: string;
  toolCallId?: string;
}

/** A function the model may call; `parameters` is a JSON schema whose property order is kept. */
export interface ToolDefinition {
  name: string;
  description: string | undefined;
  parameters: Record<string, unknown> | undefined;
}
