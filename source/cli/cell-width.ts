// The width of a text in terminal columns.
import { createRequire } from "node:module";

type StringWidth = typeof import("string-width");

const printableAscii = /^[\x20-\x7e]*$/;
const require = createRequire(import.meta.url);
let measure: StringWidth["default"] | undefined;

/** The measuring of other alphabets takes 16 ms to load; most tables do not need it. */
export function cellWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  measure ??= (require("string-width") as StringWidth).default;
  return measure(text);
}
