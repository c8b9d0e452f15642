// Whether something read from JSON is an object with names.

/** Not for `null` and not for lists. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
