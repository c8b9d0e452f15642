// The entries of the transcript as rows: who speaks, what is said, how it ended. An entry is laid out
// when it is to be shown, and once for each width.

import { attachedText } from "../../../../client/attachments/read-image-file.ts";
import type { CodeHighlighter } from "../../../markdown/code-highlighter.ts";
import { MarkdownLayout } from "../../../markdown/markdown-layout.ts";
import { wrapRuns } from "../../../markdown/wrap-runs.ts";
import { textWidth } from "../../../text/graphemes.ts";
import { neutraliseLine, normaliseLineBreaks } from "../../../text/neutralise.ts";
import { runsWidth, type TextRow, type TextRun } from "../../../text/text-run.ts";
import { type Glyphs, type Tone, withGlyphs } from "../../../theme.ts";
import type {
  AnswerState,
  AssistantEntry,
  EntryImage,
  TranscriptEntry,
  UserEntry,
} from "../conversation/transcript-entry.ts";
import type { TranscriptRows } from "./transcript-window.ts";

const blankRow: TextRow = [];
/** A longer message, such as a pasted file, shows its beginning. */
const longestMessage = 16_000;
const shownOfLongMessage = 4000;
const longestNote = 400;

/** An entry laid out at a width, in the three parts that are drawn below each other. */
export interface EntryBlock {
  readonly width: number;
  /** Who speaks and when, images, what was thought and called; all of an entry without an answer. */
  readonly head: readonly TextRow[];
  readonly markdown:
    | { readonly text: string; readonly layout: MarkdownLayout; readonly isOpen: boolean }
    | undefined;
  readonly markdownRows: number;
  /** How it ended, and a blank row. */
  readonly tail: readonly TextRow[];
}

export interface TranscriptLayoutOptions {
  readonly glyphs: Glyphs;
  readonly highlighter: CodeHighlighter;
  /** Small pictures of images need colours, and half blocks. */
  readonly drawsImages: boolean;
  /** `10:41` of milliseconds since 1970. */
  readonly timeText: (atMs: number) => string;
}

/** Entries as rows, and the blocks that those rows are in. */
export interface LaidOutTranscript extends TranscriptRows {
  blockOf(index: number): EntryBlock;
}

export class TranscriptLayout {
  readonly #options: TranscriptLayoutOptions;
  /** Rows of entries that did not change since they were laid out; an entry is never modified. */
  #blocks = new WeakMap<TranscriptEntry, EntryBlock>();
  /** The answer that is being written. */
  #growing: { readonly id: number; readonly layout: MarkdownLayout } | undefined;
  #generation = 0;

  constructor(options: TranscriptLayoutOptions) {
    this.#options = options;
  }

  /** Another number after `forget`, for components that show rows. */
  get generation(): number {
    return this.#generation;
  }

  /** Lays everything out again from now on, since code has its colours now. */
  forget(): void {
    this.#generation += 1;
    this.#blocks = new WeakMap();
    this.#growing = undefined;
  }

  /** @param progress stands in for an answer that has no text yet */
  rows(
    entries: readonly TranscriptEntry[],
    width: number,
    progress: string | undefined,
  ): LaidOutTranscript {
    const blockOf = (index: number): EntryBlock => {
      const entry = entries[index];
      return entry === undefined ? noBlock : this.block(entry, width, progress);
    };
    return {
      width,
      count: entries.length,
      idAt: (index) => entries[index]?.id ?? -1,
      blockOf,
      rowsOf: (index) => rowsIn(blockOf(index)),
      knownRowsOf: (index) => {
        const entry = entries[index];
        if (entry === undefined) return { rows: 0, isExact: true };
        const known = this.#blocks.get(entry);
        if (known?.width === width) return { rows: rowsIn(known), isExact: true };
        return { rows: 2 + Math.ceil(entry.text.length / width), isExact: false };
      },
    };
  }

  /** The same object as long as the entry, the width and the colours of code are the same. */
  block(entry: TranscriptEntry, width: number, progress?: string): EntryBlock {
    const known = this.#blocks.get(entry);
    if (known?.width === width) return known;
    const block = this.#layOut(entry, width, progress);
    // The progress of an answer without text changes while the entry does not.
    const isWaiting = entry.kind === "assistant" && entry.state === "running" && entry.text === "";
    if (!isWaiting) this.#blocks.set(entry, block);
    return block;
  }

  #layOut(entry: TranscriptEntry, width: number, progress: string | undefined): EntryBlock {
    const head = this.#headOf(entry, width, progress);
    if (entry.kind !== "assistant" || entry.text === "") {
      return { width, head, markdown: undefined, markdownRows: 0, tail: this.#tailOf(entry) };
    }
    const markdown = this.#markdownOf(entry, width);
    const markdownRows = markdown.layout.rows(markdown.text, markdown.isOpen).length;
    return { width, head, markdown, markdownRows, tail: this.#tailOf(entry) };
  }

  #tailOf(entry: TranscriptEntry): readonly TextRow[] {
    const mark =
      entry.kind === "assistant" ? answerMark(entry.state, this.#options.glyphs) : undefined;
    return mark === undefined ? [blankRow] : [[{ text: mark, tone: "mark" }], blankRow];
  }

  #headOf(entry: TranscriptEntry, width: number, progress: string | undefined): readonly TextRow[] {
    const { glyphs } = this.#options;
    switch (entry.kind) {
      case "user":
        return this.#questionRows(entry, width);
      case "assistant":
        return this.#answerRows(entry, width, progress);
      case "error": {
        const next = withGlyphs(entry.next ?? "", glyphs);
        return behindSign({ text: `${glyphs.failed} `, tone: "error" }, width, (inner) => [
          ...this.#textRows(entry.text, inner, "error"),
          ...(next === "" ? [] : this.#textRows(next, inner, "dim")),
        ]);
      }
      case "notice":
        return this.#textRows(entry.text, width, "dim");
    }
  }

  #questionRows({ text, images = [], atMs }: UserEntry, width: number): TextRow[] {
    const { glyphs, drawsImages, timeText } = this.#options;
    const note = atMs === undefined ? "" : timeText(atMs);
    const isLong = text.length > longestMessage;
    const shown = isLong ? text.slice(0, shownOfLongMessage).toWellFormed() : text;
    return [
      headline("you", "you", note, width),
      ...images.flatMap((image) => imageRows(image, width, drawsImages)),
      ...(text === "" ? [] : this.#textRows(shown, width, "plain")),
      ...(isLong
        ? this.#textRows(
            `${glyphs.ellipsis} ${text.length} characters in all; Ctrl+O shows them`,
            width,
            "dim",
          )
        : []),
    ];
  }

  #answerRows(entry: AssistantEntry, width: number, progress: string | undefined): TextRow[] {
    const { glyphs } = this.#options;
    const { text, state, note = "", toolCalls = [] } = entry;
    const rows = [headline("assistant", "assistant", withGlyphs(note, glyphs), width)];
    rows.push(...this.#thinkingRows(entry, width));
    for (const call of toolCalls) {
      const values = JSON.stringify(call.arguments).slice(0, longestNote);
      const text = neutraliseLine(`${call.name} ${values}`, glyphs.isAscii);
      const sign: TextRun = { text: `${glyphs.arrow} `, tone: "mark" };
      rows.push(...behindSign(sign, width, (inner) => wrapRuns([{ text, tone: "name" }], inner)));
    }
    if (text === "") {
      const isRunning = state === "running";
      if (isRunning && progress !== undefined) rows.push(...this.#textRows(progress, width, "dim"));
      else if (!isRunning && toolCalls.length === 0) {
        rows.push([{ text: "(empty answer)", tone: "dim" }]);
      }
    }
    return rows;
  }

  #thinkingRows(entry: AssistantEntry, width: number): TextRow[] {
    const { thinking = "", thinkingMs, isThinkingOpen = false, state, text } = entry;
    if (thinking === "") return [];
    const isThinking = state === "running" && text === "";
    const time = thinkingMs === undefined ? "" : ` for ${(thinkingMs / 1000).toFixed(1)} s`;
    const words = thinking.split(/\s+/).filter((word) => word !== "").length;
    const what = isThinking ? "thinking" : `thought${time}, ${words} words`;
    const { isAscii } = this.#options.glyphs;
    const sign = isThinkingOpen ? (isAscii ? "v" : "▾") : isAscii ? ">" : "▸";
    const head: TextRow = [{ text: `${sign} ${what}`, tone: "dim" }];
    if (!isThinkingOpen) return [head];
    const bar: TextRun = { text: isAscii ? "| " : "▎ ", tone: "dim" };
    const inner = this.#textRows(thinking.trim(), width - textWidth(bar.text), "comment");
    return [head, ...inner.map((row) => [bar, ...row])];
  }

  #markdownOf({ id, text, state }: AssistantEntry, width: number) {
    const isOpen = state === "running";
    const known = this.#growing;
    const layout =
      known?.id === id && known.layout.width === width
        ? known.layout
        : new MarkdownLayout(width, {
            isAscii: this.#options.glyphs.isAscii,
            highlighter: this.#options.highlighter,
          });
    if (isOpen) this.#growing = { id, layout };
    else if (known?.id === id) this.#growing = undefined;
    return { text, layout, isOpen };
  }

  #textRows(text: string, width: number, tone: Tone): TextRow[] {
    const { isAscii } = this.#options.glyphs;
    return normaliseLineBreaks(text)
      .split("\n")
      .flatMap((line) => {
        const harmless = neutraliseLine(line, isAscii).replaceAll("\t", "    ");
        return wrapRuns([{ text: harmless, tone }], Math.max(1, width));
      });
  }
}

const noBlock: EntryBlock = {
  width: 0,
  head: [],
  markdown: undefined,
  markdownRows: 0,
  tail: [],
};

function rowsIn({ head, markdownRows, tail }: EntryBlock): number {
  return head.length + markdownRows + tail.length;
}

/** Rows with a sign in front of the first, and as many blanks in front of the others. */
function behindSign(
  sign: TextRun,
  width: number,
  rowsAt: (width: number) => readonly TextRow[],
): TextRow[] {
  const cells = textWidth(sign.text);
  const indent: TextRun = { text: " ".repeat(cells), tone: "plain" };
  return rowsAt(width - cells).map((row, index) => [index === 0 ? sign : indent, ...row]);
}

function imageRows(image: EntryImage, width: number, isDrawn: boolean): TextRow[] {
  const { preview, base64 } = image;
  const gone = base64 === "" ? " (its file is gone)" : "";
  const [line = []] = wrapRuns(
    [{ text: attachedText(image, image.tokens) + gone, tone: "dim" }],
    width,
  );
  return isDrawn ? [line, ...preview.filter((row) => runsWidth(row) <= width)] : [line];
}

/** The speaker at the left, a note at the right where there is room. */
function headline(speaker: string, tone: Tone, note: string, width: number): TextRow {
  const room = width - textWidth(speaker) - textWidth(note);
  if (note === "" || room < 2) return [{ text: speaker, tone }];
  return [
    { text: speaker, tone },
    { text: " ".repeat(room), tone: "plain" },
    { text: note, tone: "dim" },
  ];
}

/** Names the end of an answer, behind a sign; undefined for one that is whole or still runs. */
function answerMark(state: AnswerState, glyphs: Glyphs): string | undefined {
  switch (state) {
    case "stopped":
      return `${glyphs.stopped} stopped`;
    case "failed":
      return `${glyphs.failed} failed`;
    case "limit":
      return `${glyphs.warning} cut at the length limit`;
    default:
      return undefined;
  }
}
