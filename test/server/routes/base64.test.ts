// Offsets of base64 errors, the same as those of Go's decoder.
import fc from "fast-check";
import { expect, test } from "vitest";
import { illegalBase64At } from "../../../source/server/routes/base64.ts";

test("valid base64 has no error, with or without line breaks", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat({ max: 140 }), (bytes, at) => {
      const text = Buffer.from(bytes).toString("base64");
      expect(illegalBase64At(text)).toBeUndefined();
      expect(illegalBase64At(`${text.slice(0, at)}\r\n${text.slice(at)}`)).toBeUndefined();
    }),
  );
});

test("the first invalid character is named", () => {
  const stranger = fc.constantFrom("!", "-", "_", " ", "\u0000", "é", "Ł", "😀", "\u{3000}");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), stranger, fc.nat(), (bytes, character, place) => {
      const text = Buffer.from(bytes).toString("base64").replaceAll("=", "");
      const at = place % (text.length + 1);
      expect(illegalBase64At(text.slice(0, at) + character + text.slice(at))).toBe(at);
    }),
  );
});

// As encoding/base64 of Go 1.26 gives them.
test.each([
  ["a", 0],
  ["ab", 0],
  ["abc", 0],
  ["abcde", 4],
  ["abcd\nef", 5],
  ["=", 0],
  ["a===", 1],
  ["ab=", 3],
  ["ab=c", 2],
  ["ab==c", 4],
  ["abc=d", 4],
  ["abc==", 4],
  ["abcd====", 4],
  ["ab=\n", 4],
  ["ab=\n=\nx", 6],
])("%j is invalid at %d", (text, at) => {
  expect(illegalBase64At(text)).toBe(at);
});
