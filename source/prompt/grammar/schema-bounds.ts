// Bounds on schemas, checked before any of them becomes a grammar: reading one must not keep the server
// from others, and following its grammar must not keep a model from others.
import { below, type SchemaPath, unsupportedSchema } from "./schema-error.ts";

const mostCharacters = 1_000_000;
const mostEnumCharacters = 100_000;
const mostAlternatives = 1000;
/** Writes two values of megabytes for each of a thousand alternatives otherwise. */
const mostComparedCharacters = 4_000_000;
/** Of the document; those of the schema are fewer. */
const mostLevels = 512;

/** Checks all texts of a schema, annotations included. @throws SchemaRefusal */
export function refuseLargeSchema(schema: unknown): void {
  const pending = [{ value: schema, path: "", level: 0 }];
  let characters = 0;
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { value, path, level } = place;
    if (typeof value === "string") characters += value.length;
    if (typeof value === "object" && value !== null) {
      if (level >= mostLevels) {
        throw unsupportedSchema("", `it is nested too deeply, in more than ${mostLevels} levels`);
      }
      for (const [key, inner] of Object.entries(value)) {
        characters += Array.isArray(value) ? 0 : key.length;
        pending.push({ value: inner, path: below(path, key.slice(0, 64)), level: level + 1 });
      }
    }
    if (characters > mostCharacters) {
      throw unsupportedSchema(path, `texts up to here have more than ${mostCharacters} characters`);
    }
  }
}

/** @throws SchemaRefusal */
export function refuseLargeEnum(values: readonly unknown[], path: SchemaPath): void {
  let characters = 0;
  for (const value of values) characters += JSON.stringify(value).length;
  if (characters <= mostEnumCharacters) return;
  const most = `more than ${mostEnumCharacters} characters`;
  throw unsupportedSchema(path, `the values of \`enum\` have ${most} together`);
}

/**
 * @param keyword `anyOf`, or `properties` for those that may be missing
 * @throws SchemaRefusal
 */
export function refuseManyAlternatives(count: number, keyword: string, path: SchemaPath): void {
  if (count <= mostAlternatives) return;
  throw unsupportedSchema(
    path,
    `\`${keyword}\` has ${count} alternatives, more than ${mostAlternatives}`,
  );
}

/** The texts of values that are compared while schemas are merged, up to so much altogether. */
export class ComparedTexts {
  #left = mostComparedCharacters;

  /** @throws SchemaRefusal */
  of(value: unknown, path: SchemaPath): string {
    const text = JSON.stringify(value);
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    throw unsupportedSchema(path, "it has too many large values that apply together");
  }
}
