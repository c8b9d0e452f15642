// Encryption of values that a copy of the database must not reveal; the key is in a private file.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = "aes-256-gcm";

export class SecretBox {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /**
   * @param file created with mode 0600
   * @param isNeeded true when values are encrypted with the key, so that a missing one is never
   * replaced
   * @throws ProductError `CLOUD_STATE_UNUSABLE` when the key is needed and missing, or invalid
   */
  static open(file: string, isNeeded: boolean): SecretBox {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const known = readKey(file);
    if (known === undefined && isNeeded) throw unusable(file, "it is missing", undefined);
    const key = known ?? makeKey(file);
    chmodSync(file, 0o600);
    return new SecretBox(key);
  }

  /** @param place bound to the text: a value sealed for one place cannot be opened for another */
  seal(text: string, place: string): Uint8Array {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce);
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /**
   * @throws ProductError `CLOUD_STATE_UNUSABLE` for a value sealed with another key or for another
   * place
   */
  open(sealed: Uint8Array, place: string): string {
    try {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes));
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const rest = bytes.subarray(nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(rest), decipher.final()]).toString("utf8");
    } catch (cause) {
      throw new ProductError(cloudErrors.stateUnusable, {
        message:
          "Cannot decrypt a stored secret: it was encrypted with another key than the state folder's.",
        hint: "Restore the old keys/secrets file, or set the secret again.",
        cause,
      });
    }
  }

  /** Returns a keyed hash, which compares secrets without storing them. */
  fingerprint(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("hex");
  }
}

function readKey(file: string): Buffer | undefined {
  try {
    const key = readFileSync(file);
    if (key.length === keyBytes) return key;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw unusable(file, describeError(error), error);
  }
  throw unusable(file, "it has the wrong length", undefined);
}

/** Creates the file atomically: half a key would make every secret unreadable. */
function makeKey(file: string): Buffer {
  const temporary = `${file}.${process.pid}`;
  const key = randomBytes(keyBytes);
  writeFileSync(temporary, key, { mode: 0o600 });
  try {
    linkSync(temporary, file);
  } finally {
    rmSync(temporary);
  }
  return key;
}

function unusable(file: string, reason: string, cause: unknown): ProductError {
  return new ProductError(cloudErrors.stateUnusable, {
    message: `Cannot use the encryption key of the stored secrets, ${file}: ${reason}.`,
    hint: "Restore it from a copy of the state folder; the secrets cannot be read without it.",
    cause,
  });
}
