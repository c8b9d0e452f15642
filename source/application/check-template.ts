// Reads templates before models are made with them.
import { exitCodes, ProductError } from "../base/product-error.ts";
import { GoChatTemplate } from "../prompt/go-template/go-chat-template.ts";
import { checkTemplate as check } from "../server/routes/store/modelfile-definition.ts";
import type { ParsedModelfile } from "../store/modelfile/parse-modelfile.ts";

/**
 * The TEMPLATE of a Modelfile that a person wrote.
 *
 * @returns sentences about what in it has no effect
 * @throws ProductError `PROMPT_TEMPLATE_INVALID` with both places: in the Modelfile, in the template
 */
export function checkTemplate(parsed: ParsedModelfile): string[] {
  try {
    return check(parsed);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    throw error.reworded({ exitCode: exitCodes.usage });
  }
}

/** Explains a template's error; undefined for a usable one. */
export function problemOf(template: string): string | undefined {
  try {
    new GoChatTemplate(template);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return error.message;
  }
}
