// Writes a stream to a new file and computes its digest on the way.
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { parseDigest } from "./digest.ts";

export interface WriteOptions {
  /** The digest that the content must have. */
  digest?: string | undefined;
  /** The announced length. */
  sizeBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the bytes written so far. */
  onBytes?: ((completed: number) => void) | undefined;
}

/** @throws the stream's own error, the system's */
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

/** @throws ProductError `STORE_DIGEST_MISMATCH`; the stream's own error */
export async function checkStream(
  stream: AsyncIterable<Uint8Array>,
  options: WriteOptions,
): Promise<{ digest: string; sizeBytes: number }> {
  const hashed = await hashStream(stream, options, async () => {});
  checkDigest(hashed.digest, options.digest);
  return hashed;
}

async function hashStream(
  stream: AsyncIterable<Uint8Array>,
  { signal, onBytes }: WriteOptions,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<{ digest: string; sizeBytes: number }> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of stream) {
    signal?.throwIfAborted();
    hash.update(chunk);
    await take(chunk);
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
