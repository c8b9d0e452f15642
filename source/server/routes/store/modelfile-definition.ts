// Reads the definition from the Modelfile text of a create request.
import { ProductError } from "../../../base/product-error.ts";
import { parseModelfile } from "../../../store/modelfile/parse-modelfile.ts";
import { withPlace } from "../../../store/modelfile/place-error.ts";
import { invalidField } from "../../errors.ts";
import type { CreateDefinition } from "./create-definition.ts";
import { checkTemplate } from "./modelfile-template.ts";
import type { CreateBody } from "./schema.ts";

export interface ModelfileDefinition extends CreateDefinition {
  /** Adds line and column to an error about a name in the Modelfile. */
  explain: (error: unknown) => unknown;
}

/** Fields allowed besides a Modelfile. */
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
    // Relative paths start from the server's folder, not the client's.
    explain: (error) =>
      error instanceof ProductError ? withPlace(error, parsed, process.cwd()) : error,
  };
}
