// Text and image blocks, and errors for other kinds.

import { quoteShort } from "../../../base/display-text.ts";
import type { ProductError } from "../../../base/product-error.ts";
import type { ChatImage } from "../../../prompt/chat-message.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { type ContentText, joinContents, readBase64Image, readImageUrl } from "../image-field.ts";
import { type Fields, readObject, readText } from "../read-fields.ts";

/**
 * Reads a block of text or an image; undefined for other kinds.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`, `SERVER_IMAGE_REMOTE`
 */
export function readContentBlock(block: Fields, where: string): ContentText | undefined {
  if (block.type === "text") return { text: readText(block.text, `${where}.text`), images: [] };
  return block.type === "image" ? { text: "", images: [readImage(block, where)] } : undefined;
}

function readImage(block: Fields, where: string): ChatImage {
  const source = readObject(block.source, `${where}.source`);
  const type = readText(source.type, `${where}.source.type`);
  if (type === "base64") {
    const mimeType = readText(source.media_type, `${where}.source.media_type`);
    return readBase64Image(readText(source.data, `${where}.source.data`), where, mimeType);
  }
  if (type === "url") return readImageUrl(source.url, where);
  throw unsupportedField(`${where}.source.type`, `${quoteShort(type)} is not base64 or url`);
}

/** Joins texts and images. @throws ProductError naming the block */
export function readContentBlocks(content: unknown, where: string): ContentText {
  if (typeof content === "string") return { text: content, images: [] };
  return joinContents(
    readBlocks(content, where).map((value, index) => {
      const place = `${where}.${index}`;
      const block = readObject(value, place);
      const type = readText(block.type, `${place}.type`);
      const read = readContentBlock(block, place);
      if (read === undefined) throw refusedBlock(type, place);
      return read;
    }),
  );
}

/**
 * @returns the text, or that of each block
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` naming the block
 */
export function readTextBlocks(content: unknown, where: string): string[] {
  if (typeof content === "string") return [content];
  return readBlocks(content, where).map((value, index) => {
    const place = `${where}.${index}`;
    const block = readObject(value, place);
    const type = readText(block.type, `${place}.type`);
    if (type !== "text") throw refusedBlock(type, place);
    return readText(block.text, `${place}.text`);
  });
}

export function readBlocks(content: unknown, where: string): readonly unknown[] {
  if (Array.isArray(content)) return content;
  throw content === undefined || content === null
    ? invalidField(where, `${where} is required`)
    : invalidField(where, `'${where}' must be a string or an array of blocks.`);
}

const refusals: Readonly<Record<string, string>> = {
  image: "images belong in user messages and tool results",
  document: "this server cannot read documents; send their text",
  search_result: "search results are not supported; send their text",
};

export function refusedBlock(type: string, where: string): ProductError {
  const refusal = Object.hasOwn(refusals, type) ? refusals[type] : undefined;
  if (refusal !== undefined) return unsupportedField(where, refusal);
  return unsupportedField(`${where}.type`, `${quoteShort(type)} is not allowed here`);
}
