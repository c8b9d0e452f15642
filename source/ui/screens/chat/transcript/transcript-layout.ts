// Entries of the transcript, laid out when they are shown, once per width.

import { Observable } from "../../../../base/store.ts";
import type {
  AssistantEntry,
  TranscriptEntry,
} from "../../../../chat/conversation/transcript-entry.ts";
import type { CodeHighlighter } from "../../../markdown/code-highlighter.ts";
import { MarkdownLayout } from "../../../markdown/markdown-layout.ts";
import type { TextRow } from "../../../text/text-run.ts";
import { headRows, type MessageStyle, tailRows } from "./message-rows.ts";
import type { TranscriptRows } from "./transcript-window.ts";

/** An entry laid out at a width, in three parts below each other. */
export interface EntryBlock {
  readonly width: number;
  readonly head: readonly TextRow[];
  /** The text of an answer. */
  readonly markdown:
    | { readonly text: string; readonly layout: MarkdownLayout; readonly isOpen: boolean }
    | undefined;
  readonly markdownRows: number;
  readonly tail: readonly TextRow[];
}

/** Entries as rows, and the blocks that those rows are in. */
export interface LaidOutTranscript extends TranscriptRows {
  blockOf(index: number): EntryBlock;
}

export interface TranscriptLayoutOptions extends MessageStyle {
  readonly highlighter: CodeHighlighter;
}

const noBlock: EntryBlock = { width: 0, head: [], markdown: undefined, markdownRows: 0, tail: [] };

export class TranscriptLayout extends Observable {
  readonly #options: TranscriptLayoutOptions;
  /** Rows of entries that did not change since they were laid out; an entry is never modified. */
  #blocks = new WeakMap<TranscriptEntry, EntryBlock>();
  /** The answer that is being written. */
  #growing: { readonly id: number; readonly layout: MarkdownLayout } | undefined;
  #generation = 0;

  constructor(options: TranscriptLayoutOptions) {
    super();
    this.#options = options;
  }

  /** Returns a number that changes with each `forget`, for components that show rows. */
  readonly get = (): number => this.#generation;

  /** Drops all layouts, when syntax highlighting becomes available. */
  forget(): void {
    this.#generation += 1;
    this.#blocks = new WeakMap();
    this.#growing = undefined;
    this.tell();
  }

  /** @param progress shown in place of an answer without text */
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

  /** Returns the same object until entry, width or highlighting change. */
  block(entry: TranscriptEntry, width: number, progress?: string): EntryBlock {
    const known = this.#blocks.get(entry);
    if (known?.width === width) return known;
    const isAnswer = entry.kind === "assistant";
    const markdown = isAnswer && entry.text !== "" ? this.#markdownOf(entry, width) : undefined;
    const block: EntryBlock = {
      width,
      head: headRows(entry, width, this.#options, progress, (text, columns) =>
        this.#newLayout(columns).rows(text, false),
      ),
      markdown,
      markdownRows: markdown?.layout.rows(markdown.text, markdown.isOpen).length ?? 0,
      tail: tailRows(entry, width, this.#options),
    };
    // The progress of an answer without text changes, though its entry does not.
    const isWaiting = isAnswer && entry.state === "running" && entry.text === "";
    if (!isWaiting) this.#blocks.set(entry, block);
    return block;
  }

  #markdownOf({ id, text, state }: AssistantEntry, width: number) {
    const isOpen = state === "running";
    const known = this.#growing?.id === id ? this.#growing.layout : undefined;
    const layout = known?.width === width ? known : this.#newLayout(width);
    if (isOpen) this.#growing = { id, layout };
    else if (known !== undefined) this.#growing = undefined;
    return { text, layout, isOpen };
  }

  #newLayout(width: number): MarkdownLayout {
    const { highlighter } = this.#options;
    return new MarkdownLayout(width, { highlighter });
  }
}

function rowsIn({ head, markdownRows, tail }: EntryBlock): number {
  return head.length + markdownRows + tail.length;
}
