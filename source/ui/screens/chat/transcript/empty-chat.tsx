// What an empty conversation shows.

import type { ModelFacts } from "../../../../client/chat-events.ts";
import { truncateText } from "../../../text/graphemes.ts";
import { neutraliseLine } from "../../../text/neutralise.ts";
import { wrapLine } from "../../../text/wrap-line.ts";
import type { Glyphs, Row } from "../../../theme.ts";

/** Proposals for a first message. */
export const defaultExamplePrompts: readonly string[] = [
  "Tell me a short story about a lighthouse.",
  "What is a context window? Answer in two sentences.",
  "Write a haiku about rain.",
];

/** The model's name, its window and what it can do, and prompts to begin with. */
export function emptyRows(
  facts: ModelFacts,
  examplePrompts: readonly string[],
  width: number,
  glyphs: Glyphs,
): Row[] {
  const rows: Row[] = [{ text: "", tone: "plain" }];
  const add = (text: string, tone: Row["tone"]): void => {
    const harmless = neutraliseLine(text, glyphs.isAscii);
    for (const row of wrapLine(harmless, width)) rows.push({ text: row.text, tone });
  };
  add(facts.name, "title");
  if (facts.contextLength !== undefined) {
    add(`context window ${facts.contextLength} tokens`, "dim");
  }
  if (facts.card !== undefined) add(facts.card, "plain");
  if (examplePrompts.length > 0) {
    rows.push({ text: "", tone: "plain" });
    add("For example (Tab puts one into the field):", "dim");
    for (const prompt of examplePrompts) {
      rows.push({ text: truncateText(`  ${prompt}`, width, glyphs.ellipsis), tone: "plain" });
    }
  }
  return rows;
}
