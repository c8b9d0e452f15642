// Content of an input item: a text, or parts that are joined, images between them.
import { quoteShort } from "../../../../base/display-text.ts";
import type { ChatImage } from "../../../../prompt/chat-message.ts";
import { invalidField, unsupportedField } from "../../../errors.ts";
import { type ContentText, joinContents, readImageUrl } from "../../image-field.ts";
import { type Fields, readObject, readText } from "../../read-fields.ts";

const textTypes: readonly unknown[] = ["input_text", "output_text", "text"];

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`, `SERVER_IMAGE_REMOTE` */
export function readContent(content: unknown, where: string): ContentText {
  if (typeof content === "string") return { text: content, images: [] };
  if (Array.isArray(content)) {
    return joinContents(content.map((part, index) => readPart(part, `${where}.${index}`)));
  }
  throw content === undefined || content === null
    ? invalidField(where, `${where} is required`)
    : invalidField(where, `'${where}' must be a string or an array of parts.`);
}

function readPart(value: unknown, where: string): ContentText {
  const part = readObject(value, where);
  const field = textTypes.includes(part.type) ? "text" : "refusal";
  if (field === "text" || part.type === "refusal") {
    return { text: readText(part[field], `${where}.${field}`), images: [] };
  }
  if (part.type === "input_image") return { text: "", images: [readImage(part, where)] };
  const refusals: Record<string, string> = {
    input_file: "this server cannot read files; send their text",
    input_audio: "this server cannot play audio to a model",
  };
  const type = readText(part.type, `${where}.type`);
  const refusal = Object.hasOwn(refusals, type) ? refusals[type] : undefined;
  if (refusal !== undefined) throw unsupportedField(where, refusal);
  throw unsupportedField(`${where}.type`, `${quoteShort(type)} is no part of this server`);
}

function readImage({ image_url, file_id }: Fields, where: string): ChatImage {
  if (typeof file_id === "string") {
    throw unsupportedField(`${where}.file_id`, "files are not kept here; send the image itself");
  }
  return readImageUrl(image_url, where);
}
