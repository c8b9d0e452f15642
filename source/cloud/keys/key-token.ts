// Accepted forms of a key: our own, and `<id>:<secret>`.
import { parseToken, type TokenParts } from "../../keys/token.ts";

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
