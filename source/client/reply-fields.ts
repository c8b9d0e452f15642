// Reads fields of JSON replies; those that are missing or of another type get a default.
import { isRecord } from "../base/json.ts";

export type Fields = Record<string, unknown>;

/** Returns an object; an empty one for other values. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** Returns the objects of a list; none for other values. */
export function entriesOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns a text; undefined for an empty one and other values. */
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
