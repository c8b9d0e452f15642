// SHA-256 digests of blobs: parses them, and computes them from files and streams.
import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { readPieces } from "./read-pieces.ts";

const pattern = /^sha256[:-]([0-9a-fA-F]{64})$/;

/**
 * Returns a digest as `sha256:` and 64 lower-case digits; also accepts a dash for the colon.
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
  const stream = readPieces(file, (await stat(file)).size, signal);
  return (await hashStream(stream, { onBytes })).digest;
}

export interface WriteOptions {
  /** The digest that the content must have. */
  digest?: string | undefined;
  /** The announced length. */
  sizeBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the bytes written so far. */
  onBytes?: ((completed: number) => void) | undefined;
}

/**
 * Writes a stream to a new file and hashes it on the way.
 *
 * @throws the stream's error or the system's
 */
export async function writeStream(
  file: string,
  stream: AsyncIterable<Uint8Array>,
  options: WriteOptions,
): Promise<{ digest: string; sizeBytes: number }> {
  const handle = await open(file, "wx");
  try {
    const hashed = await hashStream(stream, options, (chunk) => handle.writeFile(chunk));
    await handle.sync();
    return hashed;
  } finally {
    await handle.close();
  }
}

/** @throws ProductError `STORE_DIGEST_MISMATCH`; the stream's error */
export async function checkStream(
  stream: AsyncIterable<Uint8Array>,
  options: WriteOptions,
): Promise<{ digest: string; sizeBytes: number }> {
  const hashed = await hashStream(stream, options);
  checkDigest(hashed.digest, options.digest);
  return hashed;
}

async function hashStream(
  stream: AsyncIterable<Uint8Array>,
  { signal, onBytes }: WriteOptions,
  take?: (chunk: Uint8Array) => Promise<void>,
): Promise<{ digest: string; sizeBytes: number }> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of stream) {
    signal?.throwIfAborted();
    hash.update(chunk);
    await take?.(chunk);
    sizeBytes += chunk.length;
    onBytes?.(sizeBytes);
  }
  return { digest: `sha256:${hash.digest("hex")}`, sizeBytes };
}

/** @throws ProductError `STORE_DIGEST_MISMATCH` */
export function checkDigest(found: string, expected: string | undefined): void {
  if (expected === undefined || parseDigest(expected) === found) return;
  throw new ProductError(storeErrors.digestMismatch, {
    message: `digest mismatch, expected ${parseDigest(expected)}, got ${found}`,
    hint: "Send the content again.",
  });
}
