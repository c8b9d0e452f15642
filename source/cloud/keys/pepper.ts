// Pepper of key digests: random bytes stored outside the database, without which its digests are
// useless.
import { hash } from "node:crypto";
import path from "node:path";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import { createKeyFile, readKeyFile } from "../state/key-file.ts";

/** Returns the path inside a state folder. */
export function pepperFile(stateFolder: string): string {
  return path.join(stateFolder, "keys", "pepper");
}

/**
 * Reads the pepper, or creates it when there is none.
 *
 * @param keys number of keys made with it; above 0 a missing pepper is an error, never replaced
 * @throws ProductError `CLOUD_PEPPER_UNUSABLE`
 */
export function loadPepper(file: string, keys: number): Buffer {
  try {
    const known = readKeyFile(file);
    if (known === undefined && keys > 0) throw lostPepper(keys);
    return known ?? createKeyFile(file);
  } catch (cause) {
    if (cause instanceof ProductError) throw cause;
    throw unusable(file, describeError(cause), cause);
  }
}

/** Block size of SHA-256, to which HMAC pads its key. */
const blockBytes = 64;

/**
 * Returns HMAC-SHA256 (RFC 2104) with the pepper as its key; the digest is stored instead of a
 * secret. A fast hash is safe here, as 256 random bits cannot be guessed. Built from single hashes,
 * because `createHmac` looks up its algorithm each time, which takes longer than the rest of a
 * request.
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

function lostPepper(keys: number): ProductError {
  return new ProductError(cloudErrors.pepperUnusable, {
    message: `The pepper file is missing, so none of the ${keys} keys in the state database can be verified.`,
    hint: "Restore keys/pepper from a copy of the state folder.",
  });
}

function unusable(file: string, reason: string, cause: unknown): ProductError {
  return new ProductError(cloudErrors.pepperUnusable, {
    message: `Cannot use the pepper file ${file}, which is needed to verify keys: ${reason}.`,
    hint: "Check its permissions, or restore it from a copy of the state folder.",
    cause,
  });
}
