// Parses a model's output while it is being generated: content, thinking, tool calls.
import type { ToolDefinition } from "../chat-message.ts";
import { definitionOf, type OutputFormat } from "./format-table.ts";
import { Output } from "./output.ts";
import type { OutputPiece } from "./output-piece.ts";
import type { Reading } from "./output-text.ts";
import { readAnswer } from "./read-answer.ts";
import { readThinking, type ThinkingTags } from "./thinking-block.ts";

export interface OutputParserOptions {
  format: OutputFormat;
  /** Only these are calls; none, and nothing is taken for a call. */
  tools: readonly ToolDefinition[];
  /** Undefined leaves thinking in the content. Formats with channels tell thinking themselves. */
  thinking: ThinkingTags | undefined;
  /** The prompt has already opened the thinking block. */
  startsInThinking: boolean;
  /** Numbers from 0 up to 1, for the ids of calls. */
  random?: () => number;
}

export interface OutputParser {
  /** @returns what has become certain */
  push(text: string): OutputPiece[];
  /** The output has ended. @returns the rest */
  end(): OutputPiece[];
}

/**
 * A parser for one output. Text is given on as soon as it is decided what it is, and only what could
 * be a mark is held back; how the output is cut into pieces makes no difference. Nothing is lost or
 * doubled: what looks like a call and is none (broken JSON, an unknown tool, an end in the middle) is
 * content, byte for byte. Without calls and thinking the content is the output.
 */
export function createOutputParser(options: OutputParserOptions): OutputParser {
  const output = new Output(options.tools, options.random ?? Math.random);
  const reading = readOutput(output, options);
  return {
    push(text) {
      output.text.push(text);
      reading.next();
      return output.drain();
    },
    end() {
      output.text.end();
      reading.next();
      return output.drain();
    },
  };
}

function* readOutput(output: Output, options: OutputParserOptions): Reading {
  const { read, calls } = definitionOf(options.format);
  const { thinking, startsInThinking } = options;
  if (read !== undefined) return yield* read(output, startsInThinking);
  const gap =
    thinking === undefined ? "" : yield* readThinking(output, thinking, startsInThinking, calls);
  if (calls !== undefined) return yield* readAnswer(output, calls, gap);
  output.content(gap);
  yield* output.text.passUntil([], output.content);
}
