// What a grammar needs to know of a format: the text around calls and around an answer.
import { definitionOf, type OutputFormat } from "./format-table.ts";
import type { ToolCallShape } from "./output-format.ts";

/** Undefined where calls cannot be forced: they are not written around JSON. */
export function toolCallShape(format: OutputFormat): ToolCallShape | undefined {
  return definitionOf(format).shape;
}

/** The text that a format wants around an answer that is not a call. */
export function answerFrame(format: OutputFormat): { open: string; close: string } {
  return definitionOf(format).frame ?? { open: "", close: "" };
}
