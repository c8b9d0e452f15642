// Reads unions by hand: a schema could only say that no variant fits.
import { isRecord } from "../../base/json-record.ts";
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
