// Lays out Markdown blocks as rows of runs.

import type { Token, Tokens } from "marked";
import type { TextRow, TextRun } from "../text/text-run.ts";
import type { Tone } from "../theme.ts";
import { type CodeStyle, codeRows } from "./code-rows.ts";
import { inlineLines, textOf } from "./inline-runs.ts";
import { tableRows } from "./table-rows.ts";
import { joinRuns, wrapRuns } from "./wrap-runs.ts";

const blankRow: TextRow = [];
const ruleCells = 40;
/** Deeper lists and quotes are not indented further. */
const narrowestBlock = 12;

/**
 * Returns the rows of a block.
 * @param isOpen true if more of it may come
 */
export function blockRows(
  token: Token,
  width: number,
  style: CodeStyle,
  isOpen: boolean,
): TextRow[] {
  if (isList(token)) return listRows(token, width, style, isOpen);
  const table = isTable(token) ? tableRows(token, width) : undefined;
  if (table !== undefined) return table;
  switch (token.type) {
    case "space":
      return /\n[^\S\n]*\n/.test(token.raw) || /^\s*\n/.test(token.raw) ? [blankRow] : [];
    case "heading":
      return textRows(token.tokens ?? [], width, "heading");
    case "code":
      return codeOf(token, width, style, isOpen);
    case "hr":
      return [[{ text: "─".repeat(Math.min(width, ruleCells)), tone: "dim" }]];
    case "blockquote":
      return quoteRows(token.tokens ?? [], width, style, isOpen);
    default: {
      // HTML, definitions, and tables that do not fit have none.
      const children = "tokens" in token ? token.tokens : undefined;
      return children === undefined
        ? plainRows(token.raw, width)
        : textRows(children, width, "plain");
    }
  }
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === "table";
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list";
}

function textRows(tokens: readonly Token[], width: number, tone: Tone): TextRow[] {
  return inlineLines(tokens, tone).flatMap((line) => wrapRuns(withoutTabs(line), width));
}

function plainRows(raw: string, width: number): TextRow[] {
  return raw
    .replace(/\n+$/, "")
    .split("\n")
    .flatMap((line) => wrapRuns(withoutTabs([{ text: line, tone: "plain" }]), width));
}

function withoutTabs(line: TextRow): TextRow {
  if (!line.some(({ text }) => text.includes("\t"))) return line;
  return line.map((run) => ({ ...run, text: run.text.replaceAll("\t", "    ") }));
}

const closedFence = /^(?: {0,3})(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*\n)? {0,3}\1[`~]*[^\S\n]*\n?$/;

function codeOf(token: Token, width: number, style: CodeStyle, isOpen: boolean): TextRow[] {
  const lang: unknown = "lang" in token ? token.lang : undefined;
  const language = typeof lang === "string" ? (/^[^\s{]*/.exec(lang)?.[0] ?? "") : "";
  const block = {
    code: textOf(token),
    language: language.toLowerCase(),
    isOpen: isOpen && !closedFence.test(token.raw),
  };
  return codeRows(block, width, style);
}

function quoteRows(
  tokens: readonly Token[],
  width: number,
  style: CodeStyle,
  isOpen: boolean,
): TextRow[] {
  const bar: TextRun = { text: "▎ ", tone: "dim" };
  const inner = Math.max(narrowestBlock, width - bar.text.length);
  const content = blocksRows(tokens, inner, style, isOpen);
  return (content.length === 0 ? [blankRow] : content).map((row) =>
    joinRuns([
      bar,
      ...row.map((run) => (run.tone === "plain" ? { ...run, tone: "quote" as const } : run)),
    ]),
  );
}

/** Returns the rows of consecutive blocks. */
function blocksRows(
  tokens: readonly Token[],
  width: number,
  style: CodeStyle,
  isOpen: boolean,
): TextRow[] {
  return tokens.flatMap((token, index) =>
    blockRows(token, width, style, isOpen && index === tokens.length - 1),
  );
}

function listRows(list: Tokens.List, width: number, style: CodeStyle, isOpen: boolean): TextRow[] {
  const first = typeof list.start === "number" ? list.start : 1;
  const last = String(first + list.items.length - 1);
  const rows: TextRow[] = [];
  for (const [index, item] of list.items.entries()) {
    const sign = list.ordered ? `${String(first + index).padStart(last.length)}. ` : "• ";
    const box = item.task ? (item.checked ? "[x] " : "[ ] ") : "";
    const marker: TextRun = { text: sign + box, tone: "mark" };
    const indent: TextRun = { text: " ".repeat(marker.text.length), tone: "plain" };
    const inner = Math.max(narrowestBlock, width - marker.text.length);
    const children = item.tokens.filter(({ type }) => type !== "checkbox");
    const isLast = index === list.items.length - 1;
    const content = blocksRows(children, inner, style, isOpen && isLast);
    for (const [at, row] of (content.length === 0 ? [blankRow] : content).entries()) {
      if (at === 0) rows.push(joinRuns([marker, ...row]));
      else rows.push(row.length === 0 ? blankRow : joinRuns([indent, ...row]));
    }
    if (list.loose && !isLast) rows.push(blankRow);
  }
  return rows;
}
