// SHA-256 digests of contents: how they are written, and how a file's is computed.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";

const pattern = /^sha256[:-]([0-9a-fA-F]{64})$/;

/**
 * The digest as `sha256:` and 64 lower-case digits; the form with a dash is understood too.
 *
 * @throws ProductError `STORE_DIGEST_INVALID`
 */
export function parseDigest(text: string): string {
  const [, digits] = pattern.exec(text) ?? [];
  if (digits === undefined) {
    throw new ProductError(storeErrors.digestInvalid, {
      message: `invalid digest format: ${JSON.stringify(text)} is not sha256: and 64 hexadecimal digits.`,
      param: "digest",
    });
  }
  return `sha256:${digits.toLowerCase()}`;
}

export function isDigest(text: string): boolean {
  return pattern.test(text);
}

export function digestOf(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

export interface HashOptions {
  signal?: AbortSignal | undefined;
  /** Called with the bytes read so far. */
  onBytes?: ((completed: number) => void) | undefined;
}

/** The digest of a file's content. */
export async function digestOfFile(file: string, options: HashOptions = {}): Promise<string> {
  const { signal, onBytes } = options;
  const hash = createHash("sha256");
  let completed = 0;
  const stream = createReadStream(file, { highWaterMark: 1024 ** 2, signal });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    completed += chunk.length;
    onBytes?.(completed);
  }
  return `sha256:${hash.digest("hex")}`;
}
