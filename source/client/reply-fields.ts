// Reads the fields of JSON replies: what is missing or of another kind becomes a plain default.
import { isRecord } from "../base/json-record.ts";

export type Fields = Record<string, unknown>;

/** An object with no names where the value is none. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The objects of a list; empty where the value is no list. */
export function entriesOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Undefined for what is no text, and for an empty one. */
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
