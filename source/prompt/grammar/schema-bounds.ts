// Limits on schemas, checked before grammars are created: parsing one must not block the server, and
// following its grammar must not block the model.
import { below, type SchemaPath, unsupportedSchema } from "./schema-error.ts";

const maxCharacters = 1_000_000;
const maxEnumCharacters = 100_000;
/** Plain values share their prefixes, so more of them are allowed. */
export const maxConstants = 1000;
const maxAlternatives = 250;
/** Each beginning is compared with all tokens of the vocabulary: 2.4 ms for 262,144 of them. */
export const maxBeginnings = 400;
/** Limit of alternatives that fit a text at once, times those that each of them may lead to. */
const maxTogether = 4 * maxBeginnings;
/** Without this limit, a thousand alternatives could each serialise two values of megabytes. */
const maxComparedCharacters = 4_000_000;
/** Most levels of the document; the schema itself has fewer. */
const maxLevels = 512;

/** Checks all texts of a schema, annotations included. @throws SchemaRefusal */
export function refuseLargeSchema(schema: unknown): void {
  const pending = [{ value: schema, path: "", level: 0 }];
  let characters = 0;
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { value, path, level } = place;
    if (typeof value === "string") characters += value.length;
    if (typeof value === "object" && value !== null) {
      if (level >= maxLevels) {
        throw unsupportedSchema("", `it is nested too deeply, in more than ${maxLevels} levels`);
      }
      for (const [key, inner] of Object.entries(value)) {
        characters += Array.isArray(value) ? 0 : key.length;
        pending.push({ value: inner, path: below(path, key.slice(0, 64)), level: level + 1 });
      }
    }
    if (characters > maxCharacters) {
      throw unsupportedSchema(path, `its texts have more than ${maxCharacters} characters`);
    }
  }
}

/** @throws SchemaRefusal */
export function refuseLargeEnum(values: readonly unknown[], path: SchemaPath): void {
  let characters = 0;
  for (const value of values) characters += JSON.stringify(value).length;
  if (characters <= maxEnumCharacters) return;
  const most = `more than ${maxEnumCharacters} characters`;
  throw unsupportedSchema(path, `the values of \`enum\` have ${most} in total`);
}

/**
 * @param keyword `anyOf`, or `properties` for optional ones
 * @throws SchemaRefusal
 */
export function refuseManyAlternatives(
  count: number,
  keyword: string,
  path: SchemaPath,
  most = maxAlternatives,
): void {
  if (count <= most) return;
  throw unsupportedSchema(path, `\`${keyword}\` has ${count} alternatives; the limit is ${most}`);
}

/**
 * @param counts of the grammar so far
 * @throws SchemaRefusal
 */
export function refuseManyBeginnings(
  { widest, mostOverlapping }: { widest: number; mostOverlapping: number },
  path: SchemaPath,
): void {
  if (widest > maxBeginnings) {
    const count = Number.isFinite(widest) ? `${widest} of` : "too many of";
    const limit = `the limit is ${maxBeginnings}`;
    throw unsupportedSchema(path, `${count} its alternatives begin differently; ${limit}`);
  }
  if (widest * mostOverlapping > maxTogether) {
    throw unsupportedSchema(
      path,
      `one text may fit ${mostOverlapping} of its alternatives, and each may go on in up to ${widest} ways`,
    );
  }
}

/** Serialised values for comparisons while schemas are merged, limited in total. */
export class ComparedTexts {
  #left = maxComparedCharacters;

  /** @throws SchemaRefusal */
  of(value: unknown, path: SchemaPath): string {
    const text = JSON.stringify(value);
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    throw unsupportedSchema(path, "it combines too many large values");
  }
}
