// How many columns of a terminal a text takes.
import { createRequire } from "node:module";

type StringWidth = typeof import("string-width");

const printableAscii = /^[\x20-\x7e]*$/;
const require = createRequire(import.meta.url);
let measure: StringWidth["default"] | undefined;

/** What measures other alphabets takes 16 ms to load; most tables need nothing of it. */
export function cellWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  measure ??= (require("string-width") as StringWidth).default;
  return measure(text);
}
