// The transcript as rows: who speaks, what is said, how it ended; only rows on show are looked at.

import type { AnswerState, TranscriptEntry } from "../state/chat-state.ts";
import { MessageLayout } from "../text/message-layout.ts";
import { wrapLine } from "../text/wrap-line.ts";
import type { Glyphs, Row } from "../theme.ts";
import type { EntryMeasure, TranscriptMeasure } from "./viewport.ts";

const blankRow: Row = { text: "", tone: "plain" };

/** A laid out transcript; rows are taken by their number. */
export interface LaidOutTranscript extends TranscriptMeasure {
  rows(topRow: number, count: number): Row[];
}

export class TranscriptLayout {
  readonly #glyphs: Glyphs;
  readonly #messages: MessageLayout;
  /** Rows of entries that did not change since they were laid out; an entry is never modified. */
  readonly #blocks = new WeakMap<TranscriptEntry, { width: number; rows: readonly Row[] }>();

  constructor(glyphs: Glyphs) {
    this.#glyphs = glyphs;
    this.#messages = new MessageLayout(glyphs.isAscii);
  }

  /**
   * Lays the entries out.
   * @param progress stands in for an answer that has no text yet
   */
  layout(
    entries: readonly TranscriptEntry[],
    width: number,
    progress: string | undefined,
  ): LaidOutTranscript {
    const measures: EntryMeasure[] = [];
    const blocks: (readonly Row[])[] = [];
    let totalRows = 0;
    for (const entry of entries) {
      const rows = this.#cachedRowsOf(entry, width, progress);
      measures.push({ entryId: entry.id, startRow: totalRows, rowCount: rows.length });
      blocks.push(rows);
      totalRows += rows.length;
    }
    // Entries go by /clear and by failed messages; what is kept of them follows now and then.
    if (this.#messages.size > entries.length + 64) {
      this.#messages.retain(new Set(entries.map(({ id }) => id)));
    }
    return {
      width,
      totalRows,
      entries: measures,
      rows: (topRow, count) => takeRows(measures, blocks, topRow, count),
    };
  }

  #cachedRowsOf(
    entry: TranscriptEntry,
    width: number,
    progress: string | undefined,
  ): readonly Row[] {
    const known = this.#blocks.get(entry);
    if (known?.width === width) return known.rows;
    const rows = this.#rowsOf(entry, width, progress);
    // The progress of an answer without text changes while the entry does not.
    if (entry.text !== "") this.#blocks.set(entry, { width, rows });
    return rows;
  }

  #rowsOf(entry: TranscriptEntry, width: number, progress: string | undefined): readonly Row[] {
    switch (entry.kind) {
      case "user":
        return [
          { text: "you", tone: "you" },
          ...this.#messages.rowsOf(entry.id, entry.text, width),
          blankRow,
        ];
      case "assistant":
        return [
          { text: "assistant", tone: "assistant" },
          ...this.#answerRows(entry, width, progress),
          blankRow,
        ];
      case "error":
        return [...this.#errorRows(entry.id, entry.text, width), blankRow];
      case "notice":
        return [...this.#toned(entry.id, entry.text, width, "dim"), blankRow];
    }
  }

  #answerRows(
    entry: TranscriptEntry & { kind: "assistant" },
    width: number,
    progress: string | undefined,
  ): readonly Row[] {
    if (entry.text === "") {
      const text = entry.state === "running" ? (progress ?? "") : "(empty answer)";
      const [row] = wrapLine(text, width);
      return [{ text: row?.text ?? "", tone: "dim" }];
    }
    const mark = answerMark(entry.state, this.#glyphs);
    const rows = this.#messages.rowsOf(entry.id, entry.text, width);
    return mark === undefined ? rows : [...rows, { text: mark, tone: "mark" }];
  }

  #errorRows(id: number, text: string, width: number): Row[] {
    const sign = `${this.#glyphs.failed} `;
    return this.#toned(id, text, width - sign.length, "error").map((row, index) => ({
      ...row,
      text: (index === 0 ? sign : " ".repeat(sign.length)) + row.text,
    }));
  }

  #toned(id: number, text: string, width: number, tone: Row["tone"]): Row[] {
    return this.#messages.rowsOf(id, text, width).map((row) => ({ text: row.text, tone }));
  }
}

/** How an answer ended, in a word behind its sign; nothing for one that is whole or still runs. */
export function answerMark(state: AnswerState, glyphs: Glyphs): string | undefined {
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

function takeRows(
  measures: readonly EntryMeasure[],
  blocks: readonly (readonly Row[])[],
  topRow: number,
  count: number,
): Row[] {
  const end = topRow + count;
  const taken: Row[] = [];
  for (const [index, measure] of measures.entries()) {
    if (measure.startRow >= end) break;
    if (measure.startRow + measure.rowCount <= topRow) continue;
    const from = Math.max(0, topRow - measure.startRow);
    taken.push(...(blocks[index] ?? []).slice(from, end - measure.startRow));
  }
  return taken;
}
