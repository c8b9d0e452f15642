// A conversation as both APIs hand it over.

export type ChatRole = "system" | "developer" | "user" | "assistant" | "tool";

export interface ToolCall {
  id: string | undefined;
  name: string;
  /** Parsed arguments. */
  arguments: Record<string, unknown>;
}

export interface ChatMessage {
  role: ChatRole;
  content: string;
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
