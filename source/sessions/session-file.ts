// The text format of a saved chat: a first line of JSON about it, so that a list reads no more than
// that, then a line for each message.
import { isRecord } from "../base/json-record.ts";
import type {
  Session,
  SessionDeployment,
  SessionFile,
  SessionHead,
  SessionImage,
  SessionMessage,
} from "./session.ts";

const version = 1;

/** Lines of messages that were written before: a long chat is saved again after every answer. */
const knownLines = new WeakMap<SessionMessage, string>();

export function writeSessionText({ messages, ...head }: Session): string {
  const first = JSON.stringify({ version, ...head, messageCount: messages.length });
  return `${[first, ...messages.map(lineOf)].join("\n")}\n`;
}

function lineOf(message: SessionMessage): string {
  const known = knownLines.get(message);
  if (known !== undefined) return known;
  const line = JSON.stringify(message);
  knownLines.set(message, line);
  return line;
}

/**
 * @throws Error with a reason for the log when the text is not a saved chat, or is from a later
 * version
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
  const [profile, app, url] = [
    textAt(value, "profile"),
    textAt(value, "app"),
    textAt(value, "url"),
  ];
  return { profile, app, url };
}

function readMessage(line: string): SessionMessage {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) throw new Error("a message is not an object");
  const { typed, thinking, atMs, images, files, toolCalls } = value;
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
    ...(ending !== undefined && { ending }),
    ...(typeof atMs === "number" && { atMs }),
  };
}

function readImage(value: unknown): SessionImage {
  if (!isRecord(value)) throw new Error("an image is not an object");
  const digest = textAt(value, "digest");
  // It becomes the name of a file.
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
  if (!isRecord(value)) throw new Error("a file is no object");
  const { tokens } = value;
  return { name: textAt(value, "name"), ...(typeof tokens === "number" && { tokens }) };
}

function readToolCall(value: unknown) {
  if (!isRecord(value)) throw new Error("a tool call is not an object");
  const values = value.arguments;
  return { name: textAt(value, "name"), arguments: isRecord(values) ? values : {} };
}

function readParameters(value: unknown): SessionHead["parameters"] {
  if (!isRecord(value)) return {};
  const read: Record<string, number | boolean | string | string[]> = {};
  for (const [name, setting] of Object.entries(value)) {
    if (
      typeof setting === "number" ||
      typeof setting === "boolean" ||
      typeof setting === "string"
    ) {
      read[name] = setting;
    } else if (Array.isArray(setting) && setting.every((text) => typeof text === "string")) {
      read[name] = setting;
    }
  }
  return read;
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
