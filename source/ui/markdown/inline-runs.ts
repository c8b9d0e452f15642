// Lays out inline Markdown as lines of runs.

import type { Token, Tokens } from "marked";
import type { TextRun } from "../text/text-run.ts";
import type { Tone } from "../theme.ts";
import { linesOf } from "./wrap-runs.ts";

/** Returns the lines of inline content; keeps line breaks of the text, as chats expect. */
export function inlineLines(tokens: readonly Token[], tone: Tone = "plain"): TextRun[][] {
  return linesOf(inlineRuns(tokens, tone));
}

function* inlineRuns(tokens: readonly Token[], tone: Tone): Generator<TextRun> {
  for (const token of tokens) yield* runsOf(token, tone);
}

function* runsOf(token: Token, tone: Tone): Generator<TextRun> {
  switch (token.type) {
    case "strong":
      yield* inlineRuns(childrenOf(token), tone === "plain" ? "strong" : tone);
      return;
    case "em":
      yield* inlineRuns(childrenOf(token), tone === "plain" ? "emphasis" : tone);
      return;
    case "del":
      yield* inlineRuns(childrenOf(token), "struck");
      return;
    case "codespan":
      yield { text: textOf(token), tone: "code" };
      return;
    case "br":
      yield { text: "\n", tone };
      return;
    case "link":
      yield* linkRuns(token);
      return;
    case "image":
      yield { text: `[image: ${textOf(token)}]`, tone: "dim" };
      yield* address(token.href);
      return;
    case "escape":
      yield { text: textOf(token), tone };
      return;
    default: {
      const children = childrenOf(token);
      if (children.length > 0) yield* inlineRuns(children, tone);
      else yield { text: decodeEntities(textOf(token)), tone };
    }
  }
}

/** Appends the address to the text, unless they are the same. */
function* linkRuns(token: Tokens.Link | Tokens.Generic): Generator<TextRun> {
  yield* inlineRuns(childrenOf(token), "link");
  const text = textOf(token);
  const href: unknown = token.href;
  if (typeof href === "string" && href !== text && href !== `mailto:${text}`) yield* address(href);
}

function* address(href: unknown): Generator<TextRun> {
  if (typeof href === "string" && href !== "") yield { text: ` (${href})`, tone: "dim" };
}

function childrenOf(token: Token): readonly Token[] {
  return "tokens" in token && token.tokens !== undefined ? token.tokens : [];
}

export function textOf(token: Token): string {
  return "text" in token && typeof token.text === "string" ? token.text : token.raw;
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** Decodes the entities that models write; others stay as they are. */
function decodeEntities(text: string): string {
  return text
    .replace(/&#39;/g, "'")
    .replace(/&([a-z]+);/g, (whole, name: string) => entities[name] ?? whole);
}
