// Runs a parser over an output that is split in a given way, and collects its pieces.

import type { OutputPiece } from "../../../source/prompt/output/output.ts";
import {
  createOutputParser,
  type OutputParserOptions,
} from "../../../source/prompt/output/output-parser.ts";

export interface ParsedOutput {
  content: string;
  thought: string;
  calls: Array<[name: string, args: Record<string, unknown>]>;
}

/** Splits a text into characters. */
export const byCharacter = (output: string) => [...output];

export function piecesOf(options: OutputParserOptions, chunks: readonly string[]): OutputPiece[] {
  const parser = createOutputParser(options);
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

/** Adds the pieces up and checks that calls come in order: start, arguments that are JSON, end. */
export function addUp(pieces: readonly OutputPiece[]): ParsedOutput {
  const parsed: ParsedOutput = { content: "", thought: "", calls: [] };
  const started: Array<{ name: string; text: string; isEnded: boolean }> = [];
  for (const piece of pieces) {
    if (piece.type === "content") parsed.content += piece.text;
    else if (piece.type === "thinking") parsed.thought += piece.text;
    else if (piece.type === "tool-call-start") {
      if (piece.index !== started.length) throw new Error(`call ${piece.index} out of order`);
      started.push({ name: piece.name, text: "", isEnded: false });
    } else {
      const call = started[piece.index];
      if (call === undefined || call.isEnded) throw new Error(`call ${piece.index} is not open`);
      if (piece.type === "tool-call-arguments") call.text += piece.text;
      else {
        call.isEnded = true;
        if (JSON.stringify(JSON.parse(call.text)) !== JSON.stringify(piece.arguments)) {
          throw new Error(`the pieces ${call.text} are not the arguments`);
        }
        parsed.calls.push([call.name, piece.arguments]);
      }
    }
  }
  return parsed;
}
