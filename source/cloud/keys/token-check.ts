// Tokens of keys: their accepted forms, and the check against the digests of all keys.
import { timingSafeEqual } from "node:crypto";
import { keyState } from "../../api-keys/key-record.ts";
import { parseToken, type TokenParts } from "../../api-keys/token.ts";
import type { CloudKey } from "./cloud-key.ts";
import { createDigest } from "./pepper.ts";

/** Prefix of deployctl's keys. */
export const cloudKeyPrefix = "dk_";

/** Form that fal's clients send: https://fal.ai/docs, "Authorization: Key <id>:<secret>". */
const pairPattern = /^([a-z2-7]{12}):([0-9A-Za-z]{43})$/;

/** @returns undefined for text that cannot be a key */
export function readKeyToken(text: string): TokenParts | undefined {
  const own = parseToken(cloudKeyPrefix, text);
  if (own !== undefined) return own;
  const [, id, secret] = pairPattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export interface StoredKey {
  key: CloudKey;
  digest: Buffer;
}

/** Finds the key of a token, in the same time for every wrong token. */
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
