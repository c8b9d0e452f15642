// The blocks of Markdown as rows of spans.

import type { Token, Tokens } from "marked";
import type { Span, StyledRow } from "../frame/screen.ts";
import type { Tone } from "../theme.ts";
import { type CodeStyle, codeRows } from "./code-rows.ts";
import { inlineLines } from "./inline-runs.ts";
import { tableRows } from "./table-rows.ts";
import { joinSpans, wrapSpans } from "./wrap-runs.ts";

const blankRow: StyledRow = [];
const ruleCells = 40;
/** Deeper lists and quotes are not indented any more. */
const narrowestBlock = 12;

/**
 * Rows of a block.
 * @param isOpen more of it may come
 */
export function blockRows(
  token: Token,
  width: number,
  style: CodeStyle,
  isOpen: boolean,
): StyledRow[] {
  switch (token.type) {
    case "space":
      return /\n[^\S\n]*\n/.test(token.raw) || /^\s*\n/.test(token.raw) ? [blankRow] : [];
    case "heading":
      return textRows(token.tokens ?? [], width, "heading");
    case "code":
      return codeOf(token, width, style, isOpen);
    case "table":
      return isTable(token)
        ? (tableRows(token, width, style.isAscii) ?? plainRows(token.raw, width))
        : plainRows(token.raw, width);
    case "hr":
      return [
        [{ text: (style.isAscii ? "-" : "─").repeat(Math.min(width, ruleCells)), tone: "dim" }],
      ];
    case "blockquote":
      return quoteRows(token.tokens ?? [], width, style, isOpen);
    case "list":
      return isList(token) ? listRows(token, width, style, isOpen) : plainRows(token.raw, width);
    case "html":
    case "def":
      return plainRows(token.raw, width);
    default: {
      const children = "tokens" in token ? token.tokens : undefined;
      return children === undefined
        ? plainRows(token.raw, width)
        : textRows(children, width, "plain");
    }
  }
}

/** The tokens are marked's own; their type names say which they are. */
function isTable(token: Token): token is Tokens.Table {
  return token.type === "table";
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list";
}

function textRows(tokens: readonly Token[], width: number, tone: Tone): StyledRow[] {
  return inlineLines(tokens, tone).flatMap((line) => wrapSpans(withoutTabs(line), width));
}

function plainRows(raw: string, width: number): StyledRow[] {
  return raw
    .replace(/\n+$/, "")
    .split("\n")
    .flatMap((line) => wrapSpans(withoutTabs([{ text: line, tone: "plain" }]), width));
}

function withoutTabs(line: readonly Span[]): readonly Span[] {
  if (!line.some(({ text }) => text.includes("\t"))) return line;
  return line.map((span) => ({ ...span, text: span.text.replaceAll("\t", "    ") }));
}

const closedFence = /^(?: {0,3})(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*\n)? {0,3}\1[`~]*[^\S\n]*\n?$/;

function codeOf(token: Token, width: number, style: CodeStyle, isOpen: boolean): StyledRow[] {
  const { raw } = token;
  const code = "text" in token && typeof token.text === "string" ? token.text : raw;
  const lang: unknown = "lang" in token ? token.lang : undefined;
  const language = typeof lang === "string" ? (/^[^\s{]*/.exec(lang)?.[0] ?? "") : "";
  const block = {
    code,
    language: language.toLowerCase(),
    isOpen: isOpen && !closedFence.test(raw),
  };
  return codeRows(block, width, style);
}

function quoteRows(
  tokens: readonly Token[],
  width: number,
  style: CodeStyle,
  isOpen: boolean,
): StyledRow[] {
  const bar: Span = { text: style.isAscii ? "| " : "▎ ", tone: "dim" };
  const inner = Math.max(narrowestBlock, width - bar.text.length);
  const content = blocksRows(tokens, inner, style, isOpen);
  return (content.length === 0 ? [blankRow] : content).map((row) =>
    joinSpans([
      bar,
      ...row.map((span) => (span.tone === "plain" ? { ...span, tone: "quote" as const } : span)),
    ]),
  );
}

/** The rows of blocks that stand one below the other. */
export function blocksRows(
  tokens: readonly Token[],
  width: number,
  style: CodeStyle,
  isOpen: boolean,
): StyledRow[] {
  return tokens.flatMap((token, index) =>
    blockRows(token, width, style, isOpen && index === tokens.length - 1),
  );
}

function listRows(
  list: Tokens.List,
  width: number,
  style: CodeStyle,
  isOpen: boolean,
): StyledRow[] {
  const first = typeof list.start === "number" ? list.start : 1;
  const last = String(first + list.items.length - 1);
  const rows: StyledRow[] = [];
  for (const [index, item] of list.items.entries()) {
    const sign = list.ordered
      ? `${String(first + index).padStart(last.length)}. `
      : style.isAscii
        ? "- "
        : "• ";
    const box = item.task ? (item.checked ? "[x] " : "[ ] ") : "";
    const marker: Span = { text: sign + box, tone: "mark" };
    const indent: Span = { text: " ".repeat(marker.text.length), tone: "plain" };
    const inner = Math.max(narrowestBlock, width - marker.text.length);
    const children = item.tokens.filter(({ type }) => type !== "checkbox");
    const isLast = index === list.items.length - 1;
    const content = blocksRows(children, inner, style, isOpen && isLast);
    for (const [at, row] of (content.length === 0 ? [blankRow] : content).entries()) {
      if (at === 0) rows.push(joinSpans([marker, ...row]));
      else rows.push(row.length === 0 ? blankRow : joinSpans([indent, ...row]));
    }
    if (list.loose && !isLast) rows.push(blankRow);
  }
  return rows;
}
