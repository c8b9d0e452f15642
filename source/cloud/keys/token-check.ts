// Check of a token against the digests of all keys.
import { timingSafeEqual } from "node:crypto";
import { keyState } from "../../keys/key-record.ts";
import type { CloudKey } from "./cloud-key.ts";
import { readKeyToken } from "./key-token.ts";
import { createDigest } from "./pepper.ts";

export interface StoredKey {
  key: CloudKey;
  digest: Buffer;
}

export class TokenCheck {
  readonly digest: (secret: string) => Buffer;
  /** Compared when the key does not exist, so that both cases take the same time. */
  readonly #noDigest: Buffer;

  constructor(pepper: Buffer) {
    this.digest = createDigest(pepper);
    this.#noDigest = this.digest("");
  }

  /**
   * @param keys by id
   * @param now milliseconds since 1970
   * @returns the active key of the token
   */
  find(keys: ReadonlyMap<string, StoredKey>, token: string, now: number): StoredKey | undefined {
    const parts = readKeyToken(token);
    const stored = keys.get(parts?.id ?? "");
    const digest = this.digest(parts?.secret ?? "-");
    const isSame = timingSafeEqual(digest, stored?.digest ?? this.#noDigest);
    if (stored === undefined || !isSame) return undefined;
    return keyState(stored.key, now) === "active" ? stored : undefined;
  }
}
