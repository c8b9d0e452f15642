// The text of a Modelfile, decoded from its bytes, with line and column of each offset.
import { isUtf8 } from "node:buffer";
import type { ErrorDefinition } from "../../base/product-error.ts";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";

/** Both count from 1; columns count characters (code points). CR, LF and CRLF end a line. */
export interface TextPosition {
  line: number;
  column: number;
}

export class ModelfileText {
  readonly text: string;
  #lineStarts: number[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  positionAt(offset: number): TextPosition {
    this.#lineStarts ??= findLineStarts(this.text);
    const line = countUpTo(this.#lineStarts, offset);
    const start = this.#lineStarts[line - 1] ?? 0;
    return { line, column: Array.from(this.text.slice(start, offset)).length + 1 };
  }

  /** Returns an error that begins with line and column. */
  error(
    definition: ErrorDefinition,
    offset: number,
    details: { message: string; hint: string },
  ): ProductError {
    return new ProductError(definition, {
      message: `Modelfile ${this.describe(offset)}: ${details.message}`,
      hint: details.hint,
    });
  }

  /** `line 3, column 8`. */
  describe(offset: number): string {
    const { line, column } = this.positionAt(offset);
    return `line ${line}, column ${column}`;
  }
}

/** Returns the position of an offset into a value that begins at a known position. */
export function positionWithin(start: TextPosition, value: string, offset: number): TextPosition {
  const { line, column } = new ModelfileText(value).positionAt(offset);
  return line === 1
    ? { line: start.line, column: start.column + column - 1 }
    : { line: start.line + line - 1, column };
}

const newline = /[\r\n]/g;

/** The offset of the next CR or LF, or of the text's end. */
export function endOfLine(text: string, at: number): number {
  newline.lastIndex = at;
  return newline.exec(text)?.index ?? text.length;
}

function findLineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), (end) => end.index + end[0].length)];
}

/** Counts the ascending values that are at most `limit`. */
function countUpTo(rising: readonly number[], limit: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const encodingHint = "Save the file as UTF-8, or as UTF-16 with a byte order mark.";

/**
 * Decodes UTF-8 (with or without a byte order mark) and UTF-16 with one.
 *
 * @throws ProductError `STORE_MODELFILE_ENCODING` with the position of the first invalid bytes
 */
export function readModelfileText(source: string | Uint8Array): ModelfileText {
  refuseModel(source);
  const { text, invalidAt } = typeof source === "string" ? { text: source } : decode(source);
  const result = new ModelfileText(text);
  // Strings and UTF-16 can contain half of a surrogate pair, which is not a character.
  const faultAt = invalidAt ?? (text.isWellFormed() ? undefined : text.search(/\p{Surrogate}/u));
  if (faultAt === undefined) return result;
  throw result.error(storeErrors.modelfileEncoding, faultAt, {
    message: "the bytes here are not valid text in the file's encoding.",
    hint: encodingHint,
  });
}

/** Detects a model that was named instead of its Modelfile. */
function refuseModel(source: string | Uint8Array): void {
  if (typeof source === "string" || !Buffer.from("GGUF").equals(source.subarray(0, 4))) return;
  throw new ModelfileText("").error(storeErrors.modelfileEncoding, 0, {
    message: "this is a GGUF model, not a Modelfile.",
    hint: "Write a Modelfile that names it, as in: FROM ./model.gguf",
  });
}

interface Decoded {
  text: string;
  /** Offset in the text of the first bytes that could not be read. */
  invalidAt?: number;
}

function decode(bytes: Uint8Array): Decoded {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return decodeUtf16(Buffer.from(bytes.subarray(2)), false);
  if (first === 0xfe && second === 0xff) return decodeUtf16(Buffer.from(bytes.subarray(2)), true);
  const hasMark = first === 0xef && second === 0xbb && third === 0xbf;
  return decodeUtf8(hasMark ? bytes.subarray(3) : bytes);
}

function decodeUtf16(copy: Buffer, isBigEndian: boolean): Decoded {
  const whole = copy.subarray(0, copy.length - (copy.length % 2));
  const text = (isBigEndian ? whole.swap16() : whole).toString("utf16le");
  return whole.length === copy.length ? { text } : { text, invalidAt: text.length };
}

function decodeUtf8(bytes: Uint8Array): Decoded {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (isUtf8(bytes)) return { text };
  // Finds the first U+FFFD that replaces undecodable bytes.
  let byteOffset = 0;
  let offset = 0;
  for (const character of text) {
    if (character === "\ufffd" && !isReplacementAt(bytes, byteOffset)) break;
    byteOffset += Buffer.byteLength(character);
    offset += character.length;
  }
  return { text, invalidAt: offset };
}

function isReplacementAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
}
