// Reads fields that may have several shapes: a schema could only say that no variant fits.
import { quoteShort } from "../../base/display-text.ts";
import { isRecord } from "../../base/json.ts";
import type { ChatRole } from "../../prompt/chat-message.ts";
import { invalidField } from "../errors.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** @param where the value's place in the body, e.g. `input.0` */
export function readObject(value: unknown, where: string): Fields {
  if (isRecord(value)) return { ...value };
  throw wrong(value, where, "an object");
}

export function readList(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrong(value, where, "an array");
}

export function readText(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw wrong(value, where, "a string");
}

/** Null means "not given". */
export function readOptional<T>(
  value: unknown,
  where: string,
  read: (value: unknown, where: string) => T,
): T | undefined {
  return value === undefined || value === null ? undefined : read(value, where);
}

export function readBoolean(value: unknown, where: string): boolean {
  if (typeof value === "boolean") return value;
  throw wrong(value, where, "true or false");
}

function wrong(value: unknown, where: string, wanted: string) {
  return value === undefined || value === null
    ? invalidField(where, `${where} is required`)
    : invalidField(where, `'${where}' must be ${wanted}.`);
}

const roles: readonly ChatRole[] = ["system", "developer", "user", "assistant", "tool"];

/**
 * @param where the message in the request: `messages.0`
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function parseRole(text: string, where: string): ChatRole {
  const role = roles.find((candidate) => candidate === text.toLowerCase());
  if (role !== undefined) return role;
  throw invalidField(
    `${where}.role`,
    `'${where}.role' is ${quoteShort(text)}, but must be one of ${roles.join(", ")}.`,
  );
}
