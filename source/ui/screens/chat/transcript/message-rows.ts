// Rows of a message above and below its Markdown: speaker, time, images, thinking, calls, ending.

import { textWidth } from "../../../../base/graphemes.ts";
import { harmlessText } from "../../../../base/harmless-text.ts";
import { plural } from "../../../../base/quantities.ts";
import {
  type AssistantEntry,
  earlyEndings,
  type TranscriptEntry,
  type UserEntry,
} from "../../../../chat/conversation/transcript-entry.ts";
import type { SessionFile } from "../../../../chat/sessions/session.ts";
import { wrapRuns } from "../../../markdown/wrap-runs.ts";
import type { TextRow, TextRun } from "../../../text/text-run.ts";
import { glyphs, type Tone } from "../../../theme.ts";
import { doneCallRows, openCallRows } from "../tools/call-card.ts";
import { imageRows } from "./image-rows.ts";

export interface MessageStyle {
  /** Small pictures of images need colours, and half blocks. */
  readonly drawsImages: boolean;
  /** `10:41` of milliseconds since 1970. */
  readonly timeText: (atMs: number) => string;
  /** The working folder: calls with paths outside are marked. */
  readonly folder: string;
}

/** Lays out a finished Markdown text. */
export type LayOutMarkdown = (text: string, width: number) => readonly TextRow[];

const blankRow: TextRow = [];
/** A longer message, such as a pasted file, shows its beginning. */
const longestMessage = 16_000;
const shownOfLongMessage = 4000;

/**
 * Rows above an answer's text, or all rows of an entry without text.
 * @param progress shown in place of an answer without text
 * @param markdown lays out texts before calls of tools
 */
export function headRows(
  entry: TranscriptEntry,
  width: number,
  style: MessageStyle,
  progress: string | undefined,
  markdown: LayOutMarkdown,
): readonly TextRow[] {
  switch (entry.kind) {
    case "user":
      return questionRows(entry, width, style);
    case "assistant":
      return answerRows(entry, width, style, markdown, progress);
    case "error":
      return behindSign({ text: `${glyphs.failed} `, tone: "error" }, width, (inner) => [
        ...textRows(entry.text, inner, "error"),
        ...textRows(entry.next ?? "", inner, "dim"),
      ]);
    case "notice":
      return [
        ...behindSign({ text: `${glyphs.prompt} `, tone: "key" }, width, (inner) =>
          textRows(entry.line ?? "", inner, "plain"),
        ),
        ...textRows(entry.text, width, "dim"),
      ];
  }
}

/** Rows for calls without a result, a row for an answer that ended early, and a blank row. */
export function tailRows(
  entry: TranscriptEntry,
  width: number,
  style: MessageStyle,
): readonly TextRow[] {
  if (entry.kind !== "assistant") return [blankRow];
  const { toolCalls = [], openCall, state } = entry;
  const calls = toolCalls.flatMap((call, index) =>
    openCallRows(call, index === 0 ? openCall : undefined, { ...style, width }),
  );
  const ending = earlyEndings[state];
  if (ending === undefined) return [...calls, blankRow];
  return [...calls, [{ text: `${glyphs[ending.sign]} ${ending.words}`, tone: "mark" }], blankRow];
}

function questionRows(
  { text: sent, typed, images = [], files = [], atMs }: UserEntry,
  width: number,
  { drawsImages, timeText }: MessageStyle,
): TextRow[] {
  const note = atMs === undefined ? "" : timeText(atMs);
  // Attached texts are named, not shown.
  const text = files.length > 0 ? (typed ?? sent) : sent;
  const isLong = text.length > longestMessage;
  const shown = isLong ? text.slice(0, shownOfLongMessage).toWellFormed() : text;
  const rest = `${glyphs.ellipsis} ${text.length} characters in all; Ctrl+O shows them`;
  return [
    headline("you", "you", note, width),
    ...images.flatMap((image) => imageRows(image, width, drawsImages)),
    ...files.flatMap((file) => textRows(fileText(file), width, "dim")),
    ...textRows(shown, width, "plain"),
    ...(isLong ? textRows(rest, width, "dim") : []),
  ];
}

/** Returns `attached notes.txt, 9 tokens`, or no count until it is known. */
function fileText({ name, tokens }: SessionFile): string {
  const count = tokens === undefined ? "" : `, ${plural(tokens, "token")}`;
  return `attached ${name}${count}`;
}

function answerRows(
  entry: AssistantEntry,
  width: number,
  style: MessageStyle,
  markdown: LayOutMarkdown,
  progress = "",
): readonly TextRow[] {
  const { text, state, note = "", toolCalls = [], steps = [], areResultsOpen = false } = entry;
  const rows = [headline("assistant", "assistant", note, width), ...thinkingRows(entry, width)];
  for (const { text: before, calls } of steps) {
    if (before.trim() !== "") rows.push(...markdown(before, width));
    for (const call of calls) {
      rows.push(...doneCallRows(call, areResultsOpen, { ...style, width }));
    }
  }
  if (text !== "" || toolCalls.length > 0) return rows;
  if (state === "running") rows.push(...textRows(progress, width, "dim"));
  else if (steps.length === 0) rows.push([{ text: "(empty answer)", tone: "dim" }]);
  return rows;
}

function thinkingRows(entry: AssistantEntry, width: number): TextRow[] {
  const { thinking = "", thinkingMs, isThinkingOpen = false, state, text } = entry;
  if (thinking === "") return [];
  const isThinking = state === "running" && text === "";
  const time = thinkingMs === undefined ? "" : ` for ${(thinkingMs / 1000).toFixed(1)} s`;
  const words = thinking.split(/\s+/).filter((word) => word !== "").length;
  const what = isThinking ? "thinking" : `thought${time}, ${words} words`;
  const sign = isThinkingOpen ? "▾" : "▸";
  const head: TextRow = [{ text: `${sign} ${what}`, tone: "dim" }];
  if (!isThinkingOpen) return [head];
  const bar: TextRun = { text: "▎ ", tone: "dim" };
  const inner = textRows(thinking.trim(), width - textWidth(bar.text), "comment");
  return [head, ...inner.map((row) => [bar, ...row])];
}

/** Returns no rows for an empty text. */
function textRows(text: string, width: number, tone: Tone): TextRow[] {
  if (text === "") return [];
  return harmlessText(text)
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) => wrapRuns([{ text: line, tone }], Math.max(1, width)));
}

/** Puts a sign in front of the first row and indents the others by its width. */
function behindSign(
  sign: TextRun,
  width: number,
  rowsAt: (width: number) => readonly TextRow[],
): TextRow[] {
  const cells = textWidth(sign.text);
  const indent: TextRun = { text: " ".repeat(cells), tone: "plain" };
  return rowsAt(width - cells).map((row, index) => [index === 0 ? sign : indent, ...row]);
}

/** Speaker on the left, note on the right if there is room. */
function headline(speaker: string, tone: Tone, note: string, width: number): TextRow {
  const room = width - textWidth(speaker) - textWidth(note);
  if (note === "" || room < 2) return [{ text: speaker, tone }];
  return [
    { text: speaker, tone },
    { text: " ".repeat(room), tone: "plain" },
    { text: note, tone: "dim" },
  ];
}
