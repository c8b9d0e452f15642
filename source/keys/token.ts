// The text of a key: prefix, id, secret and a checksum, told apart by their fixed lengths.
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** Prefix of the keys of this program's own server. */
export const serverKeyPrefix = "mk_";

const idAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
const secretAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 60 bits. */
const idLength = 12;
/** 256 bits. */
const secretLength = 43;
const checksumLength = 6;

export interface TokenParts {
  /** Public: the name of a key in lists, logs and `revoke`. */
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

/** @returns undefined for a text that is not a token, such as a mistyped one */
export function parseToken(prefix: string, text: string): TokenParts | undefined {
  const length = prefix.length + idLength + secretLength + checksumLength;
  if (text.length !== length || !text.startsWith(prefix)) return undefined;
  const body = text.slice(0, -checksumLength);
  if (checksum(body) !== text.slice(-checksumLength)) return undefined;
  const secretStart = prefix.length + idLength;
  return { id: body.slice(prefix.length, secretStart), secret: body.slice(secretStart) };
}

/** A key's id as a person may give it: alone, behind the prefix, or as the token itself. */
export function readKeyId(prefix: string, text: string): string | undefined {
  const id = parseToken(prefix, text)?.id ?? text.replace(prefix, "");
  return id.length === idLength && isOf(idAlphabet, id) ? id : undefined;
}

/**
 * The hash that is stored instead of a secret. One fast hash is safe: nobody guesses 256 random
 * bits.
 */
export function digestSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function drawText(alphabet: string, length: number): string {
  // Bytes above the largest multiple of the alphabet's size would favour its first letters.
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** CRC-32 in base 62: tells mistyped keys, and lets scanners of leaked secrets tell real ones. */
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
