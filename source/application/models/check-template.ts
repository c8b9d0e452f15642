// Checks templates before models are created with them.
import { exitCodes, ProductError } from "../../base/product-error.ts";
import { GoChatTemplate } from "../../prompt/go-template/go-chat-template.ts";
import { unknownFieldText } from "../../prompt/go-template/unknown-fields.ts";
import { TemplateFault } from "../../prompt/template-fault.ts";
import { positionWithin, type TextPosition } from "../../store/modelfile/modelfile-text.ts";
import type { ParsedModelfile } from "../../store/modelfile/parse-modelfile.ts";
import { atPlace } from "../../store/modelfile/place-error.ts";

/**
 * Checks the TEMPLATE of a Modelfile.
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
    const placed = atPlace(error, positionWithin(start, template, error.cause.offset ?? 0));
    throw placed.reworded({ exitCode: exitCodes.usage });
  }
}

/** Returns a template's error; undefined for a valid one. */
export function problemOf(template: string): string | undefined {
  try {
    new GoChatTemplate(template);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return error.message;
  }
}
