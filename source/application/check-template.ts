// Reads the TEMPLATE of a Modelfile before a model is made with it.
import { exitCodes, ProductError } from "../base/product-error.ts";
import { GoChatTemplate } from "../prompt/go-template/go-chat-template.ts";
import type { TextPosition } from "../store/modelfile/modelfile-text.ts";
import { atPlace } from "../store/modelfile/place-error.ts";

/**
 * @param position where the template begins in its Modelfile
 * @throws ProductError `PROMPT_TEMPLATE_INVALID` with both places: in the Modelfile, in the template
 */
export function checkTemplate(template: string, position: TextPosition | undefined): void {
  try {
    new GoChatTemplate(template);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    const mistake = error.reworded({ exitCode: exitCodes.usage });
    throw position === undefined ? mistake : atPlace(mistake, position);
  }
}
