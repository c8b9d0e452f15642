// A saved chat and its file: a first line of JSON about the chat, which suffices for a list, then a
// line for each message.
import { isRecord } from "../../base/json.ts";

const version = 1;
const longestName = 48;

/** Outcome of an answer. */
export type AnswerEnding = "complete" | "limit" | "stopped" | "failed";

/** An image of a message; its bytes are in a file named by their digest. */
export interface SessionImage {
  readonly name: string;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  /** Tokens in a prompt, if counted. */
  readonly tokens?: number | undefined;
}

/** A text file sent with a message, which contains its text. */
export interface SessionFile {
  readonly name: string;
  /** Tokens in a prompt, if counted. */
  readonly tokens?: number | undefined;
}

export type ParameterValue = number | boolean | string | readonly string[];

export interface SessionToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A turn of the model that ended with calls, and their results. */
export interface SessionStep {
  /** Text before the calls. */
  readonly text: string;
  readonly calls: readonly SessionDoneCall[];
}

export interface SessionDoneCall extends SessionToolCall {
  /** Empty for a tool that does not exist. */
  readonly server: string;
  /** As the model read it. */
  readonly result: string;
  readonly isError: boolean;
  readonly images?: readonly SessionImage[] | undefined;
  /** The person refused it, or stopped it; absent if it ran to its end. */
  readonly ending?: CallEnding | undefined;
}

export type CallEnding = "refused" | "cancelled";

export interface SessionMessage {
  readonly role: "user" | "assistant" | "tool";
  /** As the model sees it. */
  readonly content: string;
  /** As typed, if different: with the paths of images. */
  readonly typed?: string | undefined;
  readonly images?: readonly SessionImage[] | undefined;
  readonly files?: readonly SessionFile[] | undefined;
  readonly thinking?: string | undefined;
  readonly toolCalls?: readonly SessionToolCall[] | undefined;
  /** Turns before the content that called tools. */
  readonly steps?: readonly SessionStep[] | undefined;
  readonly ending?: AnswerEnding | undefined;
  /** Milliseconds since 1970. */
  readonly atMs?: number | undefined;
}

/** Deployment that a chat is with; its key is not saved. */
export interface SessionDeployment {
  /** deployctl profile of its server. */
  readonly profile: string;
  /** `local/tiny` */
  readonly app: string;
  readonly url: string;
}

/** A saved chat's entry in a list. */
export interface SessionHead {
  /** Never changes; ids sort by the start of their chats. */
  readonly id: string;
  readonly name: string;
  /** True for a name chosen by the user, not taken from the first message. */
  readonly isNamed: boolean;
  readonly model: string;
  /** Undefined for a chat with a local model. */
  readonly deployment?: SessionDeployment | undefined;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly messageCount: number;
  /** The chat that this one was forked from. */
  readonly forkedFrom?: string;
  /** System prompt; undefined: the model's own. */
  readonly system?: string | undefined;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

export interface Session extends SessionHead {
  readonly messages: readonly SessionMessage[];
}

/** Derives a name from the first line of the first message, cut between words. */
export function nameFor(firstMessage: string): string {
  // Triple quotes enclose a message of several lines.
  const line = firstMessage.replaceAll('"""', "").trim().split("\n", 1)[0] ?? "";
  const text = line.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  if (text === "") return "New chat";
  if (text.length <= longestName) return text;
  const cut = text.slice(0, longestName).replace(/\s+\S*$/, "");
  return `${cut.toWellFormed()}…`;
}

export function writeSessionText({ messages, ...head }: Session): string {
  const first = JSON.stringify({ version, ...head, messageCount: messages.length });
  return `${[first, ...messages.map((message) => JSON.stringify(message))].join("\n")}\n`;
}

/**
 * @throws Error if the text is not a saved chat, or is of a later version
 */
export function readSessionText(text: string): Session {
  const [first = "", ...lines] = text.split("\n");
  const head = readHead(first);
  const messages = lines.filter((line) => line !== "").map((line) => readMessage(line));
  return { ...head, messageCount: messages.length, messages };
}

/** @throws Error as above */
export function readHead(line: string): SessionHead {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) throw new Error("its first line is not an object");
  if (value.version !== version) throw new Error(`its version is ${String(value.version)}`);
  const { system, forkedFrom, deployment } = value;
  return {
    id: textAt(value, "id"),
    name: textAt(value, "name"),
    isNamed: value.isNamed === true,
    model: textAt(value, "model"),
    ...(isRecord(deployment) && { deployment: readDeployment(deployment) }),
    createdAtMs: numberAt(value, "createdAtMs"),
    updatedAtMs: numberAt(value, "updatedAtMs"),
    messageCount: numberAt(value, "messageCount"),
    ...(typeof system === "string" && { system }),
    ...(typeof forkedFrom === "string" && { forkedFrom }),
    parameters: readParameters(value.parameters),
  };
}

function readDeployment(value: Record<string, unknown>): SessionDeployment {
  return {
    profile: textAt(value, "profile"),
    app: textAt(value, "app"),
    url: textAt(value, "url"),
  };
}

function readMessage(line: string): SessionMessage {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) throw new Error("a message is not an object");
  const { typed, thinking, atMs, images, files, toolCalls, steps } = value;
  const role = (["user", "assistant", "tool"] as const).find((known) => known === value.role);
  if (role === undefined) throw new Error(`a message has the role ${String(value.role)}`);
  const ending = (["complete", "limit", "stopped", "failed"] as const).find(
    (known) => known === value.ending,
  );
  return {
    role,
    content: textAt(value, "content"),
    ...(typeof typed === "string" && { typed }),
    ...(Array.isArray(images) && { images: images.map(readImage) }),
    ...(Array.isArray(files) && { files: files.map(readFile) }),
    ...(typeof thinking === "string" && { thinking }),
    ...(Array.isArray(toolCalls) && { toolCalls: toolCalls.map(readToolCall) }),
    ...(Array.isArray(steps) && { steps: steps.map(readStep) }),
    ...(ending !== undefined && { ending }),
    ...(typeof atMs === "number" && { atMs }),
  };
}

function readImage(value: unknown): SessionImage {
  if (!isRecord(value)) throw new Error("an image is not an object");
  const digest = textAt(value, "digest");
  // Becomes the name of a file.
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error("an image has no digest");
  const { tokens } = value;
  return {
    name: textAt(value, "name"),
    digest,
    width: numberAt(value, "width"),
    height: numberAt(value, "height"),
    ...(typeof tokens === "number" && { tokens }),
  };
}

function readFile(value: unknown): SessionFile {
  if (!isRecord(value)) throw new Error("a file is not an object");
  const { tokens } = value;
  return { name: textAt(value, "name"), ...(typeof tokens === "number" && { tokens }) };
}

function readStep(value: unknown): SessionStep {
  if (!isRecord(value) || !Array.isArray(value.calls)) throw new Error("a step has no calls");
  const calls = value.calls.map((call: unknown) => {
    if (!isRecord(call)) throw new Error("a tool call is not an object");
    const server = textAt(call, "server");
    const result = textAt(call, "result");
    const ending = (["refused", "cancelled"] as const).find((known) => known === call.ending);
    const isError = call.isError === true;
    const images = Array.isArray(call.images) ? { images: call.images.map(readImage) } : {};
    return { ...readToolCall(call), server, result, isError, ...images, ...(ending && { ending }) };
  });
  return { text: textAt(value, "text"), calls };
}

function readToolCall(value: unknown) {
  if (!isRecord(value)) throw new Error("a tool call is not an object");
  const values = value.arguments;
  return { name: textAt(value, "name"), arguments: isRecord(values) ? values : {} };
}

function readParameters(value: unknown): SessionHead["parameters"] {
  if (!isRecord(value)) return {};
  const read: Record<string, ParameterValue> = {};
  for (const [name, setting] of Object.entries(value)) {
    if (isParameter(setting)) read[name] = setting;
  }
  return read;
}

function isParameter(value: unknown): value is ParameterValue {
  if (Array.isArray(value)) return value.every((text) => typeof text === "string");
  return ["number", "boolean", "string"].includes(typeof value);
}

function textAt(value: Record<string, unknown>, field: string): string {
  const text = value[field];
  if (typeof text === "string") return text;
  throw new Error(`${field} is not a text`);
}

function numberAt(value: Record<string, unknown>, field: string): number {
  const number = value[field];
  if (typeof number === "number") return number;
  throw new Error(`${field} is not a number`);
}
