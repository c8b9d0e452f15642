// Text of a key: prefix, id, secret and checksum, each of fixed length.
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** Prefix of keys for modelctl's server. */
export const serverKeyPrefix = "mk_";

const idAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
const secretAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 60 bits. */
const idLength = 12;
/** 256 bits. */
const secretLength = 43;
const checksumLength = 6;

export interface TokenParts {
  /** Public: names the key in lists, logs and `revoke`. */
  id: string;
  secret: string;
}

/** Draws a new token. */
export function drawToken(prefix: string): TokenParts & { token: string } {
  const id = drawText(idAlphabet, idLength);
  const secret = drawText(secretAlphabet, secretLength);
  const body = prefix + id + secret;
  return { id, secret, token: body + checksum(body) };
}

/** @returns undefined for other texts, such as mistyped tokens */
export function parseToken(prefix: string, text: string): TokenParts | undefined {
  const length = prefix.length + idLength + secretLength + checksumLength;
  if (text.length !== length || !text.startsWith(prefix)) return undefined;
  const body = text.slice(0, -checksumLength);
  if (checksum(body) !== text.slice(-checksumLength)) return undefined;
  const secretStart = prefix.length + idLength;
  return { id: body.slice(prefix.length, secretStart), secret: body.slice(secretStart) };
}

/** Reads a key's id, typed alone, with the prefix, or as the whole token. */
export function readKeyId(prefix: string, text: string): string | undefined {
  const id = parseToken(prefix, text)?.id ?? text.replace(prefix, "");
  return id.length === idLength && isOf(idAlphabet, id) ? id : undefined;
}

/**
 * Returns the hash to store instead of a secret. A fast hash is safe, as 256 random bits cannot be
 * guessed.
 */
export function digestSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function drawText(alphabet: string, length: number): string {
  // Larger bytes would favour the alphabet's first letters.
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** Computes a CRC-32 in base 62: detects mistyped keys, also for scanners of leaked secrets. */
function checksum(body: string): string {
  let rest = crc32(body);
  let digits = "";
  while (digits.length < checksumLength) {
    digits = (secretAlphabet[rest % secretAlphabet.length] ?? "") + digits;
    rest = Math.floor(rest / secretAlphabet.length);
  }
  return digits;
}

function isOf(alphabet: string, text: string): boolean {
  return [...text].every((letter) => alphabet.includes(letter));
}
