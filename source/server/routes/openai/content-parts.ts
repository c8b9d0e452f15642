// Content that comes in parts: one message stays one message, since templates count turns.
import { quoteShort } from "../../../base/display-text.ts";
import { invalidField } from "../../errors.ts";
import { type ContentText, joinContents, readImageUrl } from "../image-field.ts";
import type { ContentPart } from "./schema.ts";

/**
 * @param where the content's place in the request
 * @returns the texts joined, with the images between them
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_IMAGE_REMOTE`
 */
export function readParts(parts: readonly ContentPart[], where: string): ContentText {
  return joinContents(parts.map((part, index) => readPart(part, `${where}.${index}`)));
}

function readPart(part: ContentPart, where: string): ContentText {
  if (part.type === "text" && typeof part.text === "string") return { text: part.text, images: [] };
  if (part.type === "refusal" && typeof part.refusal === "string") {
    return { text: part.refusal, images: [] };
  }
  if (part.type === "image_url") {
    const { image_url: image } = part;
    const url = typeof image === "object" && image !== null && "url" in image ? image.url : image;
    return { text: "", images: [readImageUrl(url, where)] };
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
