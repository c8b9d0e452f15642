// Content that can only be text, and what is said of blocks that are none.

import type { ProductError } from "../../../base/product-error.ts";
import { quoteShort } from "../../../base/seen-text.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { readObject, readText } from "../read-fields.ts";

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
  image: "this server cannot show images to a model",
  document: "this server cannot read documents; send their text",
  search_result: "search results are not known here; send their text",
};

export function refusedBlock(type: string, where: string): ProductError {
  const refusal = Object.hasOwn(refusals, type) ? refusals[type] : undefined;
  if (refusal !== undefined) return unsupportedField(where, refusal);
  return unsupportedField(`${where}.type`, `${quoteShort(type)} cannot stand here`);
}
