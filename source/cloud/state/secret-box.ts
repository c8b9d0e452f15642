// Encrypts what must not be read from a copy of the database; the key is a file of the user's alone.
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
   * @param file 0600
   * @param isNeeded whether something was sealed with it: then it is not drawn anew
   * @throws ProductError `CLOUD_STATE_UNUSABLE` when it is missing though needed, or is no key
   */
  static open(file: string, isNeeded: boolean): SecretBox {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const known = readKey(file);
    if (known === undefined && isNeeded) throw unusable(file, "it is missing", undefined);
    const key = known ?? makeKey(file);
    chmodSync(file, 0o600);
    return new SecretBox(key);
  }

  /** @param place bound to the text: sealed for one place, it cannot be opened as another's */
  seal(text: string, place: string): Uint8Array {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce);
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws ProductError `CLOUD_STATE_UNUSABLE` when it was sealed with another key or for another place */
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
          "A stored secret cannot be decrypted: the state folder's key is not the one it was sealed with.",
        hint: "Put the old keys/secrets file back, or set the secret again.",
        cause,
      });
    }
  }

  /** Tells whether two secrets are the same without keeping them. */
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
  throw unusable(file, "it has another length", undefined);
}

/** Whole or not at all: half a key would lock every secret away. */
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
    message: `The key of the stored secrets, ${file}, cannot be used: ${reason}.`,
    hint: "Bring it back from a copy of the state folder; without it the secrets are lost.",
    cause,
  });
}
