// Prompt of a base model that continues a text: just the text.
import { ProductError } from "../base/product-error.ts";
import { promptErrors } from "./errors.ts";
import { imageSegment, placeImages } from "./image-places.ts";
import type { PromptSegment } from "./prompt-segment.ts";
import type { Conversation, PromptTemplate } from "./prompt-template.ts";

/** Used for models without a template. */
export class ContinuationTemplate implements PromptTemplate {
  readonly kind = "jinja";
  readonly source = "";
  readonly origin = "fallback";
  readonly supportsTools = false;
  readonly supportsInsert = false;

  /** @returns the texts with blank lines between, without roles; none becomes control tokens */
  render({ messages, suffix }: Conversation): PromptSegment[] {
    if (suffix !== undefined && suffix !== "") {
      throw new ProductError(promptErrors.templateRefused, {
        message: "The model has no template and therefore does not support insert (suffix).",
        hint: "Send the request without a suffix, or use a model that supports insert.",
        param: "suffix",
      });
    }
    let seen = 0;
    return messages.flatMap(({ content, images = [] }, index) => {
      const before = seen;
      seen += images.length;
      const pieces = placeImages(content, images).map((piece) =>
        typeof piece === "string" ? { text: piece, special: false } : imageSegment(before + piece),
      );
      return index === 0 ? pieces : [{ text: "\n\n", special: false }, ...pieces];
    });
  }
}
