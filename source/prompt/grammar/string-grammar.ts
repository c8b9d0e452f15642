// Grammar for strings.
import { patternGrammar } from "./pattern-grammar.ts";
import { PatternError } from "./pattern-syntax.ts";
import { below, invalidSchema, type SchemaPath, unsupportedSchema } from "./schema-error.ts";
import { type SchemaObject, textAt } from "./schema-keywords.ts";
import { countBounds, type TypeContext } from "./schema-place.ts";
import { stringFormats } from "./string-formats.ts";

/** Returns undefined if no string is valid. */
export function stringGrammar(
  schema: SchemaObject,
  path: SchemaPath,
  { json, isLenient }: TypeContext,
): string | undefined {
  const length = countBounds(schema, "Length", path);
  const { minimum, maximum } = length;
  if (minimum > maximum) return undefined;
  const pattern = textAt(schema, "pattern", path);
  const format = stringFormats.get(textAt(schema, "format", path) ?? "");
  if (pattern !== undefined) {
    try {
      return json.quoted(patternGrammar(json.rules, pattern, length, json.character));
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const at = below(path, "pattern");
      if (error.isInvalid) throw invalidSchema(at, error.message);
      // A format says the same as the pattern, only less exactly.
      if (format === undefined && !isLenient) throw unsupportedSchema(at, error.message);
    }
  }
  if (format !== undefined) return json.quoted(format);
  if (minimum === 0 && maximum === Number.POSITIVE_INFINITY) return json.string;
  return json.quoted(json.rules.repeat(json.character, minimum, maximum));
}
