// The inline tokens of Markdown as lines of spans.

import type { Token, Tokens } from "marked";
import type { Span } from "../frame/screen.ts";
import type { Tone } from "../theme.ts";
import { joinSpans } from "./wrap-runs.ts";

/** Lines of a block's inline content: a line break in the text is one here, as chats mean it. */
export function inlineLines(tokens: readonly Token[], tone: Tone = "plain"): Span[][] {
  const lines: Span[][] = [[]];
  for (const span of inlineSpans(tokens, tone)) {
    for (const [index, text] of span.text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      lines.at(-1)?.push({ ...span, text });
    }
  }
  return lines.map((line) => joinSpans(line));
}

function* inlineSpans(tokens: readonly Token[], tone: Tone): Generator<Span> {
  for (const token of tokens) yield* spansOf(token, tone);
}

function* spansOf(token: Token, tone: Tone): Generator<Span> {
  switch (token.type) {
    case "strong":
      yield* inlineSpans(childrenOf(token), tone === "plain" ? "strong" : tone);
      return;
    case "em":
      yield* inlineSpans(childrenOf(token), tone === "plain" ? "emphasis" : tone);
      return;
    case "del":
      yield* inlineSpans(childrenOf(token), "struck");
      return;
    case "codespan":
      yield { text: textOf(token), tone: "code" };
      return;
    case "br":
      yield { text: "\n", tone };
      return;
    case "link":
      yield* linkSpans(token);
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
      if (children.length > 0) yield* inlineSpans(children, tone);
      else yield { text: decodeEntities(textOf(token)), tone };
    }
  }
}

/** The address stands behind the words, unless it is the words. */
function* linkSpans(token: Tokens.Link | Tokens.Generic): Generator<Span> {
  yield* inlineSpans(childrenOf(token), "link");
  const text = textOf(token);
  const href: unknown = token.href;
  if (typeof href === "string" && href !== text && href !== `mailto:${text}`) yield* address(href);
}

function* address(href: unknown): Generator<Span> {
  if (typeof href === "string" && href !== "") yield { text: ` (${href})`, tone: "dim" };
}

function childrenOf(token: Token): readonly Token[] {
  return "tokens" in token && token.tokens !== undefined ? token.tokens : [];
}

function textOf(token: Token): string {
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

/** Those that models write; others stay as they are. */
function decodeEntities(text: string): string {
  return text
    .replace(/&#39;/g, "'")
    .replace(/&([a-z]+);/g, (whole, name: string) => entities[name] ?? whole);
}
