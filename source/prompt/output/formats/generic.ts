// Formats without a name: JSON after a tag from the template, or as the whole answer.
import type { Output } from "../output.ts";
import { jsonCallShape, type OutputFormatDefinition } from "../output-format.ts";
import type { Reading } from "../output-text.ts";
import { readJsonCalls } from "../read-json-call.ts";

/**
 * Reads outputs as Ollama does for models without a parser: JSON calls after the tag. With the tag `{`
 * or `[`, only an answer that begins with it can be a call.
 */
export function genericFormat(tag: string): OutputFormatDefinition {
  const isBare = tag === "{" || tag === "[";
  const close = closingTag(tag);
  return {
    isUsedBy: () => false,
    marks: isBare ? [] : [tag, close].filter((mark) => mark !== undefined),
    calls: {
      openings: isBare ? [] : [tag],
      openingsAtStart: isBare ? [tag] : [],
      *read(output: Output): Reading<boolean> {
        const { text } = output;
        if (!isBare) yield* text.skip(tag);
        if (!(yield* readJsonCalls(output, { isBare }))) return false;
        if (close !== undefined) yield* text.skipClosing(close);
        return true;
      },
    },
    shape: {
      ...jsonCallShape("", ""),
      opening: tag === "{" ? "" : tag,
      closing: tag.endsWith("[") ? "]" : (close ?? ""),
    },
  };
}

/** Returns `</x>` for `<x>`, `[/X]` for `[X]`, `<|/x|>` for `<|x|>`; other tags have none. */
function closingTag(tag: string): string | undefined {
  return /^(?:<.*>|\[.*\])$/.test(tag) ? tag.replace(/^(<\|?|\[)/, "$1/") : undefined;
}

/** Model without tool calls: its whole answer is content. */
export const plain: OutputFormatDefinition = { isUsedBy: () => false };
