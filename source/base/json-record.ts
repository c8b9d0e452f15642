// A type guard for JSON objects.

/** Not for `null` and not for lists. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
