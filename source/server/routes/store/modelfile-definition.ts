// What a request to create a model says about it in the text of a Modelfile.
import { ProductError } from "../../../base/product-error.ts";
import { parseModelfile } from "../../../store/modelfile/parse-modelfile.ts";
import { withPlace } from "../../../store/modelfile/place-error.ts";
import { invalidField } from "../../errors.ts";
import type { CreateDefinition } from "./create-definition.ts";
import { checkTemplate } from "./modelfile-template.ts";
import type { CreateBody } from "./schema.ts";

export interface ModelfileDefinition extends CreateDefinition {
  /** Adds line and column to an error about something that the Modelfile names. */
  explain: (error: unknown) => unknown;
}

/** Fields that may stand beside a Modelfile. */
const companions: ReadonlySet<string> = new Set([
  "model",
  "name",
  "stream",
  "quantize",
  "modelfile",
]);

/**
 * @throws ProductError `STORE_MODELFILE_…`, `PROMPT_TEMPLATE_INVALID` with line and column;
 *   `SERVER_FIELD_INVALID` for fields that say the same again
 */
export function readModelfile(body: CreateBody, text: string): ModelfileDefinition {
  const other = Object.keys(body).find((name) => !companions.has(name));
  if (other !== undefined) {
    throw invalidField(
      other,
      `'${other}' and 'modelfile' exclude each other: write it in the Modelfile.`,
    );
  }
  const parsed = parseModelfile(text);
  const templateWarnings = checkTemplate(parsed);
  return {
    definition: parsed.definition,
    otherParameters: {},
    warnings: [...parsed.warnings, ...templateWarnings],
    // Whoever sends a Modelfile is not where its relative paths start from.
    explain: (error) =>
      error instanceof ProductError ? withPlace(error, parsed, process.cwd()) : error,
  };
}
