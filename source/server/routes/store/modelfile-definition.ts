// Reads the definition from the Modelfile text of a create request.
import { ProductError } from "../../../base/product-error.ts";
import { GoChatTemplate } from "../../../prompt/go-template/go-chat-template.ts";
import { unknownFieldText } from "../../../prompt/go-template/unknown-fields.ts";
import { TemplateFault } from "../../../prompt/template-fault.ts";
import { positionWithin, type TextPosition } from "../../../store/modelfile/modelfile-text.ts";
import { type ParsedModelfile, parseModelfile } from "../../../store/modelfile/parse-modelfile.ts";
import { atPlace, withPlace } from "../../../store/modelfile/place-error.ts";
import { invalidField } from "../../errors.ts";
import type { CreateDefinition } from "./create-definition.ts";
import type { CreateBody } from "./schema.ts";

interface ModelfileDefinition extends CreateDefinition {
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
 *   `SERVER_FIELD_INVALID` for fields that a Modelfile replaces
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

/**
 * Checks the TEMPLATE before the model is created.
 *
 * @returns a sentence for each field that prints nothing, with its position in the Modelfile
 * @throws ProductError `PROMPT_TEMPLATE_INVALID` with its positions in Modelfile and template
 */
export function checkTemplate({ definition: { template }, positions }: ParsedModelfile): string[] {
  const start = positions.template;
  if (!template || start === undefined) return [];
  return readTemplate(template, start).unknownFields.map((field) => {
    const { line, column } = positionWithin(start, template, field.at);
    return `Modelfile line ${line}, column ${column}: ${unknownFieldText(field)}`;
  });
}

function readTemplate(template: string, start: TextPosition): GoChatTemplate {
  try {
    return new GoChatTemplate(template);
  } catch (error) {
    if (!(error instanceof ProductError && error.cause instanceof TemplateFault)) throw error;
    throw atPlace(error, positionWithin(start, template, error.cause.offset ?? 0));
  }
}
