// The tiny model as other files: with more facts, or with another content that answers the same.
import { readFileSync } from "node:fs";
import { tinyFile } from "./command-line.ts";
import { text, uint32 } from "./gguf-builder.ts";

const bytes = readFileSync(tinyFile);
/** Magic word, version, and the two counts. */
const headBytes = 24;
const metadataCountAt = 16;
const alignment = 32;

/** A model that makes vectors alone, by its own word. */
export function embeddingTiny(): Buffer {
  return withEntry(entry("llama.pooling_type", uint32(1)));
}

/** A model with another Jinja template. */
export function templateTiny(source: string): Buffer {
  return withEntry(entry("tokenizer.chat_template", text(source)), baseTiny());
}

/** A model with a separate Jinja template for requests with tools. */
export function toolTemplateTiny(source: string): Buffer {
  return withEntry(entry("tokenizer.chat_template.tool_use", text(source)));
}

/** A model that says it was trained for another window. */
export function windowTiny(tokens: number): Buffer {
  const copy = Buffer.from(bytes);
  const key = "llama.context_length";
  // Behind the key and its type.
  copy.writeUInt32LE(tokens, copy.indexOf(key) + key.length + 4);
  return copy;
}

function withEntry(added: Buffer, file: Buffer = bytes): Buffer {
  // The data after it must keep its alignment.
  const blank = entry("test.padding", text(""));
  const missing = (alignment - ((added.length + blank.length) % alignment)) % alignment;
  const padding = entry("test.padding", text(" ".repeat(missing)));
  const head = Buffer.from(file.subarray(0, headBytes));
  head.writeBigUInt64LE(head.readBigUInt64LE(metadataCountAt) + 2n, metadataCountAt);
  return Buffer.concat([head, added, padding, file.subarray(headBytes)]);
}

/** A base model, as far as its file tells: its template has another name. */
export function baseTiny(): Buffer {
  const copy = Buffer.from(bytes);
  copy.write("tokenizer.chat_absent__", copy.indexOf("tokenizer.chat_template"), "latin1");
  return copy;
}

/** Another file, which answers the same: its licence has another number, of one digit. */
export function numberedTiny(number: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.write(`cc0-${number}.0`, copy.indexOf("cc0-1.0"), "latin1");
  return copy;
}

function entry(key: string, value: { type: number; bytes: Buffer }): Buffer {
  return Buffer.concat([text(key).bytes, uint32(value.type).bytes, value.bytes]);
}
