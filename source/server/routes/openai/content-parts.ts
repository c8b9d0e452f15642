// Content that comes in parts: one message stays one message, since templates count turns.

import { ProductError } from "../../../base/product-error.ts";
import { quoteShort } from "../../../base/seen-text.ts";
import { engineErrors } from "../../../engine/errors.ts";
import { invalidField } from "../../errors.ts";
import { illegalBase64At } from "../native/base64.ts";
import type { ContentPart } from "./schema.ts";

/**
 * @param where the content's place in the request
 * @param model as the client named it
 * @throws ProductError `SERVER_FIELD_INVALID`; `ENGINE_CAPABILITY_MISSING` for an image
 */
export function textOfParts(parts: readonly ContentPart[], where: string, model: string): string {
  return parts.map((part, index) => textOf(part, `${where}.${index}`, model)).join("");
}

function textOf(part: ContentPart, where: string, model: string): string {
  if (part.type === "text" && typeof part.text === "string") return part.text;
  if (part.type === "refusal" && typeof part.refusal === "string") return part.refusal;
  if (part.type === "image_url") {
    checkImage(part.image_url, where);
    throw new ProductError(engineErrors.capabilityMissing, {
      message: `"${model}" does not support images`,
      hint: "Leave the image out.",
      param: where,
    });
  }
  if (part.type === "text" || part.type === "refusal") {
    const param = `${where}.${part.type}`;
    throw invalidField(param, `invalid message format: '${param}' must be a string.`);
  }
  throw invalidField(
    where,
    `invalid message format: '${where}' has the type ${quoteShort(part.type)}, which this server cannot read.`,
  );
}

// Ollama's rule: these types alone, and no further parameters.
const dataUriStart = /^data:(?:image\/(?:jpeg|jpg|png|webp))?;base64,/;

/** An image that no model could read is refused as such. */
function checkImage(image: unknown, where: string): void {
  const url = typeof image === "object" && image !== null && "url" in image ? image.url : image;
  if (typeof url === "string" && /^https?:\/\//i.test(url)) {
    throw invalidField(
      where,
      "image URLs are not currently supported, please use base64 encoded data instead",
    );
  }
  const data =
    typeof url === "string" && dataUriStart.test(url) ? url.replace(dataUriStart, "") : "";
  if (data === "" || illegalBase64At(data) !== undefined) {
    throw invalidField(
      where,
      `invalid image input: '${where}' must be a data: URI with a JPEG, PNG or WebP image in base64.`,
    );
  }
}
