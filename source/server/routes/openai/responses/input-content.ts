// Content of an input item: a text, or parts that are joined.
import { quoteShort } from "../../../../base/seen-text.ts";
import { invalidField, unsupportedField } from "../../../errors.ts";
import { readObject, readText } from "../../read-fields.ts";

const textTypes: readonly unknown[] = ["input_text", "output_text", "text"];

/** @throws ProductError `SERVER_FIELD_INVALID`; `SERVER_FIELD_UNSUPPORTED` for images and files */
export function readContent(content: unknown, where: string): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    return content.map((part, index) => readPart(part, `${where}.${index}`)).join("");
  }
  throw content === undefined || content === null
    ? invalidField(where, `${where} is required`)
    : invalidField(where, `'${where}' must be a string or an array of parts.`);
}

function readPart(value: unknown, where: string): string {
  const part = readObject(value, where);
  if (textTypes.includes(part.type)) return readText(part.text, `${where}.text`);
  if (part.type === "refusal") return readText(part.refusal, `${where}.refusal`);
  const refusals: Record<string, string> = {
    input_image: "this server cannot show images to a model",
    input_file: "this server cannot read files; send their text",
    input_audio: "this server cannot play audio to a model",
  };
  const type = readText(part.type, `${where}.type`);
  const refusal = Object.hasOwn(refusals, type) ? refusals[type] : undefined;
  if (refusal !== undefined) throw unsupportedField(where, refusal);
  throw unsupportedField(`${where}.type`, `${quoteShort(type)} is no part of this server`);
}
