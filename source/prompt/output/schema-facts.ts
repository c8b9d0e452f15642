// What a reading of arguments asks of an argument's schema.

/** Whether a string fits: then the text is one, whatever else it could be. */
export function takesString(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  const { type, anyOf, oneOf } = schema;
  if (type === "string" || (Array.isArray(type) && type.includes("string"))) return true;
  return [anyOf, oneOf].some((list) => Array.isArray(list) && list.some(takesString));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
