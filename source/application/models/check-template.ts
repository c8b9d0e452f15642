// Checks templates before models are created with them.
import { exitCodes, ProductError } from "../../base/product-error.ts";
import { GoChatTemplate } from "../../prompt/go-template/go-chat-template.ts";
import { checkTemplate as check } from "../../server/routes/store/modelfile-definition.ts";
import type { ParsedModelfile } from "../../store/modelfile/parse-modelfile.ts";

/**
 * Checks the TEMPLATE of a user's Modelfile.
 *
 * @returns warnings about parts without effect
 * @throws ProductError `PROMPT_TEMPLATE_INVALID` with the place in the Modelfile and in the template
 */
export function checkTemplate(parsed: ParsedModelfile): string[] {
  try {
    return check(parsed);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    throw error.reworded({ exitCode: exitCodes.usage });
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
