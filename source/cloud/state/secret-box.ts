// Encryption of values that a copy of the database must not reveal; the key is in a private file.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import { createKeyFile, readKeyFile } from "./key-file.ts";

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
    try {
      const known = readKeyFile(file);
      if (known === undefined && isNeeded) throw new Error("it is missing");
      return new SecretBox(known ?? createKeyFile(file));
    } catch (cause) {
      throw new ProductError(cloudErrors.stateUnusable, {
        message: `Cannot use the encryption key of the stored secrets, ${file}: ${describeError(cause)}.`,
        hint: "Restore it from a copy of the state folder; the secrets cannot be read without it.",
        cause,
      });
    }
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
