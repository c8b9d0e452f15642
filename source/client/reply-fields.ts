// Reads the fields of JSON replies: a missing field, or one of another type, becomes a plain
// default.
import { isRecord } from "../base/json-record.ts";

export type Fields = Record<string, unknown>;

/** An empty object when the value is not an object. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The objects of a list; empty when the value is not a list. */
export function entriesOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Undefined for an empty text, and for a value that is not text. */
export function optionalText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

export function optionalNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
