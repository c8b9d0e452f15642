// Lays out a code block: language above, bar on the left, and nothing on the right, which keeps
// selections clean.

import { wrapLine } from "../../base/wrap-line.ts";
import type { TextRow, TextRun } from "../text/text-run.ts";
import type { CodeHighlighter } from "./code-highlighter.ts";
import { joinRuns, wrapRuns } from "./wrap-runs.ts";

export interface CodeStyle {
  readonly highlighter: CodeHighlighter;
}

export interface CodeBlock {
  readonly code: string;
  /** First word after the fence; empty without one. */
  readonly language: string;
  /** True until its end arrives. */
  readonly isOpen: boolean;
}

/** A growing block is coloured again at each new line; a longer one only at its end. */
const longestOpenCode = 6 * 1024;
const barCells = 2;

export function codeRows(block: CodeBlock, width: number, style: CodeStyle): TextRow[] {
  const { code, language, isOpen } = block;
  const [top, bar, bottom] = ["┌─", "│ ", "└─"];
  const rows: TextRow[] = [[{ text: language === "" ? top : `${top} ${language}`, tone: "dim" }]];
  const beside: TextRun = { text: bar, tone: "dim" };
  for (const line of codeLines(block, style)) {
    for (const row of wrapRuns(line, Math.max(1, width - barCells), "hard")) {
      rows.push(joinRuns([beside, ...row]));
    }
  }
  if (code === "" && isOpen) rows.push([beside]);
  rows.push([{ text: bottom, tone: "dim" }]);
  return rows;
}

function codeLines({ code, language, isOpen }: CodeBlock, { highlighter }: CodeStyle): TextRun[][] {
  const plain = (text: string): TextRun[][] =>
    text.split("\n").map((line) => (line === "" ? [] : [{ text: line, tone: "code" as const }]));
  const expanded = expandTabs(code);
  if (!isOpen) return highlighter.lines(expanded, language) ?? plain(expanded);
  if (expanded.length > longestOpenCode) return plain(expanded);
  const lastLine = expanded.lastIndexOf("\n") + 1;
  const settled = openLines(expanded.slice(0, Math.max(0, lastLine - 1)), language, highlighter);
  return lastLine === 0 || settled === undefined
    ? plain(expanded)
    : [...settled, ...plain(expanded.slice(lastLine))];
}

/** The last result: a growing block asks for the same lines repeatedly. */
let known: { code: string; language: string; lines: TextRun[][] } | undefined;

function openLines(
  code: string,
  language: string,
  highlighter: CodeHighlighter,
): TextRun[][] | undefined {
  if (known?.code === code && known.language === language) return known.lines;
  const lines = highlighter.lines(code, language);
  if (lines !== undefined) known = { code, language, lines };
  return lines;
}

/** Expands tabs relative to the code, not to the bar on its left. */
function expandTabs(code: string): string {
  if (!code.includes("\t")) return code;
  const lines = code.split("\n").map((line) => wrapLine(line, Infinity, "hard"));
  return lines.map(([row]) => row?.text ?? "").join("\n");
}
