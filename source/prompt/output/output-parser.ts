// Streaming parser of a model's output: content, thinking, tool calls.
import type { ToolDefinition } from "../chat-message.ts";
import { definitionOf, type OutputFormat } from "./format-table.ts";
import { Output, type OutputPiece } from "./output.ts";
import type { Reading } from "./output-text.ts";
import { readAnswer } from "./read-answer.ts";
import { looseCalls } from "./read-loose-calls.ts";
import { readThinking, type ThinkingTags } from "./thinking-block.ts";

export interface OutputParserOptions {
  format: OutputFormat;
  /** Tools that may be called; without any, nothing is parsed as a call. */
  tools: readonly ToolDefinition[];
  /** Undefined leaves thinking in the content. Formats with channels detect thinking themselves. */
  thinking: ThinkingTags | undefined;
  /** The prompt has already opened the thinking block. */
  startsInThinking: boolean;
  /** Reads calls without the format's marks too. Formats that read whole outputs ignore this. */
  readsLooseCalls?: boolean;
  /** Returns numbers from 0 up to 1, for the ids of calls. */
  random?: () => number;
}

export interface OutputParser {
  /** @returns the pieces that are now certain */
  push(text: string): OutputPiece[];
  /** Ends the output. @returns the remaining pieces */
  end(): OutputPiece[];
  /** Number of calls without marks that stayed text, since their arguments do not fulfil the schema. */
  readonly callsNotRead: number;
}

/**
 * Creates a parser for one output. Text is passed on as soon as its kind is known, and only text that
 * could be a mark is held back; the result does not depend on how the output is split. Nothing is lost
 * or duplicated: text that looks like a call and is none (broken JSON, an unknown tool, an early end) is
 * content, byte for byte. Without calls and thinking the content equals the output.
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
    get callsNotRead() {
      return output.callsNotRead;
    },
  };
}

function* readOutput(output: Output, options: OutputParserOptions): Reading {
  const { read, calls } = definitionOf(options.format);
  const { thinking, startsInThinking } = options;
  if (read !== undefined) return yield* read(output, startsInThinking);
  const gap =
    thinking === undefined ? "" : yield* readThinking(output, thinking, startsInThinking, calls);
  const loose = options.readsLooseCalls === true ? looseCalls : undefined;
  if (calls !== undefined) return yield* readAnswer(output, calls, gap, loose);
  output.content(gap);
  yield* output.text.passUntil([], output.content);
}
