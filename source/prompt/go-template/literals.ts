// Constants of Go in templates.

const simpleEscapes: Record<string, number> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
};
const escapeSequence =
  /\\(?:(?<simple>[abfnrtv\\'"])|x(?<hex>[0-9a-fA-F]{2})|u(?<short>[0-9a-fA-F]{4})|U(?<long>[0-9a-fA-F]{8})|(?<octal>[0-7]{3}))/y;

/**
 * Returns the text of a quoted string or character constant; bytes that are not UTF-8 become U+FFFD.
 *
 * @returns undefined for an unknown escape
 */
export function unquote(quoted: string): string | undefined {
  const quote = quoted[0];
  const inner = quoted.slice(1, -1);
  if (quote === "`") return inner.replaceAll("\r", "");
  const parts: Uint8Array[] = [];
  let at = 0;
  while (at < inner.length) {
    const next = inner.indexOf("\\", at);
    if (next !== at) {
      const end = next < 0 ? inner.length : next;
      parts.push(Buffer.from(inner.slice(at, end)));
      at = end;
      continue;
    }
    escapeSequence.lastIndex = at;
    const match = escapeSequence.exec(inner);
    const bytes = match === null ? undefined : bytesOfEscape(match.groups ?? {}, quote);
    if (match === null || bytes === undefined) return undefined;
    parts.push(bytes);
    at += match[0].length;
  }
  return Buffer.concat(parts).toString();
}

function bytesOfEscape(
  { simple, hex, short, long, octal }: Record<string, string>,
  quote: string | undefined,
): Uint8Array | undefined {
  if (simple === "'" || simple === '"') return simple === quote ? Buffer.from(simple) : undefined;
  if (simple !== undefined) return Uint8Array.of(simpleEscapes[simple] ?? 0);
  if (hex !== undefined) return Uint8Array.of(Number.parseInt(hex, 16));
  if (octal !== undefined) {
    const byte = Number.parseInt(octal, 8);
    return byte > 255 ? undefined : Uint8Array.of(byte);
  }
  const code = Number.parseInt(short ?? long ?? "", 16);
  const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? Buffer.from(String.fromCodePoint(code)) : undefined;
}

const underscores = /^[+-]?(?:0[xXoObB]_?)?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*$/;
const integer = /^([+-]?)(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|0[0-7_]*|[1-9][0-9_]*)$/;
const decimal = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const largest = 2n ** 63n - 1n;
const smallest = -(2n ** 63n);

/**
 * Parses a number into a bigint for an int, a number for a float64, depending on its notation.
 *
 * @returns a string that says what is wrong with an invalid one
 */
export function numberValue(text: string): bigint | number | string {
  const [, sign = "", digits] = integer.exec(text) ?? [];
  if (digits !== undefined && (!text.includes("_") || underscores.test(text))) {
    const plain = digits.replaceAll("_", "");
    const magnitude = BigInt(/^0[0-7]+$/.test(plain) ? `0o${plain.slice(1)}` : plain);
    const value = sign === "-" ? -magnitude : magnitude;
    return value > largest || value < smallest ? "integer overflow" : value;
  }
  if (decimal.test(text)) {
    const value = Number(text);
    if (!Number.isFinite(value)) return "number too large";
    return /[.eE]/.test(text) ? value : "bad number";
  }
  return "bad number";
}

/** Returns the code of a character constant. */
export function characterValue(quoted: string): bigint | undefined {
  const text = unquote(quoted);
  const characters = [...(text ?? "")];
  const code = characters[0]?.codePointAt(0);
  return characters.length === 1 && code !== undefined ? BigInt(code) : undefined;
}
