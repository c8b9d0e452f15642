// The data of a saved chat.

/** Outcome of an answer. */
export type AnswerEnding = "complete" | "limit" | "stopped" | "failed";

/** An image of a message; its bytes are in a file named by their digest. */
export interface SessionImage {
  readonly name: string;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  /** Tokens that it takes in a prompt, where they were counted. */
  readonly tokens?: number | undefined;
}

/** A text file that was sent with a message, which holds its text. */
export interface SessionFile {
  readonly name: string;
  /** Tokens that it takes in a prompt, where they were counted. */
  readonly tokens?: number | undefined;
}

export interface SessionToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface SessionMessage {
  readonly role: "user" | "assistant" | "tool";
  /** As the model sees it. */
  readonly content: string;
  /** As the person typed it, if different: with the paths of images. */
  readonly typed?: string | undefined;
  readonly images?: readonly SessionImage[] | undefined;
  readonly files?: readonly SessionFile[] | undefined;
  readonly thinking?: string | undefined;
  readonly toolCalls?: readonly SessionToolCall[] | undefined;
  readonly ending?: AnswerEnding | undefined;
  /** Milliseconds since 1970. */
  readonly atMs?: number | undefined;
}

/** The deployment that a chat is with. What it is called with, a key, is in no file. */
export interface SessionDeployment {
  /** The deployctl profile for reaching its server. */
  readonly profile: string;
  /** `local/tiny` */
  readonly app: string;
  readonly url: string;
}

/** A saved chat's entry in a list. */
export interface SessionHead {
  /** Never changes; sorts by the time of its beginning. */
  readonly id: string;
  readonly name: string;
  /** Given by the person, not taken from the first message. */
  readonly isNamed: boolean;
  readonly model: string;
  /** Undefined for a chat with a model of this machine. */
  readonly deployment?: SessionDeployment | undefined;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly messageCount: number;
  /** The chat that this one was forked from. */
  readonly forkedFrom?: string;
  /** The system prompt; undefined means the model's own. */
  readonly system?: string | undefined;
  readonly parameters: Readonly<Record<string, number | boolean | string | readonly string[]>>;
}

export interface Session extends SessionHead {
  readonly messages: readonly SessionMessage[];
}

const longestName = 48;

/** A name out of the first message: its first line, cut between words. */
export function nameFor(firstMessage: string): string {
  const line = firstMessage.trim().split("\n", 1)[0] ?? "";
  const text = line.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  if (text === "") return "New chat";
  if (text.length <= longestName) return text;
  const cut = text.slice(0, longestName).replace(/\s+\S*$/, "");
  return `${cut.toWellFormed()}…`;
}
