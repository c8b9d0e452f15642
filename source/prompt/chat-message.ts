// Conversation format that all APIs translate to.

export type ChatRole = "system" | "developer" | "user" | "assistant" | "tool";

export interface ToolCall {
  id: string | undefined;
  name: string;
  /** Parsed arguments. */
  arguments: Record<string, unknown>;
}

/** Image of a message; templates only need its place. */
export interface ChatImage {
  /** File content as base64. */
  base64: string;
  /** Type that the sender declares, such as `image/png`. */
  mimeType?: string;
  /** Index of the character after the image. Absent: it goes to an `[img]`, or to the text's start. */
  at?: number;
  /** Its place in the request, for error messages. */
  param?: string;
}

export interface ChatMessage {
  role: ChatRole;
  content: string;
  images?: readonly ChatImage[];
  toolCalls?: ToolCall[];
  /** For a tool's answer: the tool, and the call that it answers. */
  toolName?: string;
  toolCallId?: string;
}

/** A function the model may call; `parameters` is a JSON schema whose property order is kept. */
export interface ToolDefinition {
  name: string;
  description: string | undefined;
  parameters: Record<string, unknown> | undefined;
}
