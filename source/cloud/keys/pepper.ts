// The pepper: random bytes beside the database, without which its digests of keys are worth nothing.
import { hash, randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";

const pepperBytes = 32;

/** The file inside a state folder. */
export function pepperFile(stateFolder: string): string {
  return path.join(stateFolder, "keys", "pepper");
}

/**
 * Reads the pepper, or draws it where there is none.
 *
 * @param keys how many were made with it: then it is not drawn anew, now or at the next start
 * @throws ProductError `CLOUD_PEPPER_UNUSABLE`
 */
export function loadPepper(file: string, keys: number): Buffer {
  try {
    const known = read(file);
    if (known === undefined && keys > 0) throw lostPepper(keys);
    if (known === undefined) return draw(file);
    chmodSync(file, 0o600);
    return known;
  } catch (cause) {
    if (cause instanceof ProductError) throw cause;
    throw unusable(file, describeError(cause), cause);
  }
}

/** Of SHA-256, which HMAC pads its key to. */
const blockBytes = 64;

/**
 * HMAC-SHA256 (RFC 2104) with the pepper as its key: what is stored instead of a secret. A fast one
 * is right, because nobody guesses 256 random bits. It is put together from single hashes, since
 * `createHmac` looks its algorithm up anew each time, which takes longer than all else that a
 * request goes through.
 */
export function createDigest(pepper: Buffer): (secret: string) => Buffer {
  const pad = (byte: number) => {
    const block = Buffer.alloc(blockBytes, byte);
    for (const [index, value] of pepper.entries()) block[index] = value ^ byte;
    return block;
  };
  const inner = pad(0x36);
  const outer = pad(0x5c);
  return (secret) => {
    const first = hash("sha256", Buffer.concat([inner, Buffer.from(secret)]), "buffer");
    return hash("sha256", Buffer.concat([outer, first]), "buffer");
  };
}

/** @throws ProductError when the file has not the length that `draw` gives it */
function read(file: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  if (bytes.length === pepperBytes) return bytes;
  throw unusable(file, `it has ${bytes.length} bytes where ${pepperBytes} belong`, undefined);
}

/** The file appears under its name with all its bytes, or not at all. */
function draw(file: string): Buffer {
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bytes = randomBytes(pepperBytes);
  const draft = path.join(folder, `.pepper-${process.pid}`);
  writeFileSync(draft, bytes, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } finally {
    rmSync(draft);
  }
  return bytes;
}

function lostPepper(keys: number): ProductError {
  return new ProductError(cloudErrors.pepperUnusable, {
    message: `The pepper of the ${keys} keys in the state database is gone; none can be checked.`,
    hint: "Bring keys/pepper back from a copy of the state folder.",
  });
}

function unusable(file: string, reason: string, cause: unknown): ProductError {
  return new ProductError(cloudErrors.pepperUnusable, {
    message: `The file ${file}, without which no key can be checked, cannot be used: ${reason}.`,
    hint: "Mend its rights, or bring it back from a copy of the state folder.",
    cause,
  });
}
