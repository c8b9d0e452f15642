// Newest lines of a log, those that pass the filters, and the visible ones.

import { Observable } from "../../../base/store.ts";
import type { LogDocument } from "../../../cloud/admin/documents.ts";

/** Streams in the order of the key that cycles them. */
const logStreams = ["all", "stderr", "stdout", "event"] as const;

/** Filters of a log; a line must pass all of them. */
export interface LogFilters {
  /** In the syntax of `readLogFilter`. */
  readonly text: string;
  readonly stream: (typeof logStreams)[number];
  /** Undefined: all replicas. */
  readonly replica: string | undefined;
}

const noFilters: LogFilters = { text: "", stream: "all", replica: undefined };

/** Lines kept in memory; the server's files have older ones. */
const keptLines = 5000;

export interface LogEntry {
  /** Counts received lines. */
  readonly number: number;
  readonly line: LogDocument;
}

export class LogBuffer extends Observable {
  #changes = 0;
  #entries: LogEntry[] = [];
  /** Entries that pass the filters. */
  #shown: LogEntry[] = [];
  #count = 0;
  #filters = noFilters;
  #passes: (line: LogDocument) => boolean = () => true;
  /** Number of the last visible entry; undefined while the newest is followed. */
  #anchor: number | undefined;
  /** The count when following stopped. */
  #missedSince = 0;

  /** Counts changes, for `useStore`. */
  readonly get = (): number => this.#changes;

  get filters(): LogFilters {
    return this.#filters;
  }

  get isFollowing(): boolean {
    return this.#anchor === undefined;
  }

  get shownCount(): number {
    return this.#shown.length;
  }

  get keptCount(): number {
    return this.#entries.length;
  }

  /** Lines received since following stopped. */
  get missed(): number {
    return this.isFollowing ? 0 : this.#count - this.#missedSince;
  }

  get newest(): LogDocument | undefined {
    return this.#entries.at(-1)?.line;
  }

  get hasFilters(): boolean {
    const { text, stream, replica } = this.#filters;
    return text !== "" || stream !== "all" || replica !== undefined;
  }

  push(line: LogDocument): void {
    const entry = { number: this.#count, line };
    this.#count += 1;
    this.#entries.push(entry);
    if (this.#isShown(line)) this.#shown.push(entry);
    if (this.#entries.length > keptLines) {
      const dropped = this.#entries.shift();
      if (this.#shown[0] === dropped) this.#shown.shift();
    }
    this.tell();
  }

  /** Drops the lines, for another deployment. The filters stay. */
  clear(): void {
    this.#entries = [];
    this.#shown = [];
    this.#anchor = undefined;
    this.tell();
  }

  setFilters(change: Partial<LogFilters>): void {
    this.#filters = { ...this.#filters, ...change };
    this.#passes = readLogFilter(this.#filters.text);
    this.#shown = this.#entries.filter(({ line }) => this.#isShown(line));
    this.tell();
  }

  nextStream(): void {
    const at = logStreams.indexOf(this.#filters.stream);
    this.setFilters({ stream: logStreams[(at + 1) % logStreams.length] ?? "all" });
  }

  clearFilters(): void {
    this.setFilters(noFilters);
  }

  /** Shows the newest lines from now on. */
  follow(): void {
    this.#anchor = undefined;
    this.tell();
  }

  /** @param lines to newer ones where positive; beyond the newest it follows again */
  scroll(lines: number, height: number): void {
    const last = this.#shown.length - 1;
    const first = Math.min(last, Math.max(0, height - 1));
    const target = Math.max(first, this.#lastIndex() + lines);
    if (target >= last) {
      this.follow();
    } else {
      if (this.isFollowing) this.#missedSince = this.#count;
      this.#anchor = this.#shown[target]?.number;
      this.tell();
    }
  }

  /** Returns the visible lines, oldest first: at most `height`. */
  window(height: number): readonly LogEntry[] {
    // Where the visible lines were dropped, the oldest kept ones are shown.
    const end = Math.max(this.#lastIndex() + 1, Math.min(height, this.#shown.length));
    return this.#shown.slice(Math.max(0, end - Math.max(0, height)), end);
  }

  /** Returns all lines that pass the filters. */
  shownLines(): LogDocument[] {
    return this.#shown.map(({ line }) => line);
  }

  #isShown(line: LogDocument): boolean {
    const { stream, replica } = this.#filters;
    if (stream !== "all" && line.stream !== stream) return false;
    if (replica !== undefined && line.replica !== replica) return false;
    return this.#passes(line);
  }

  #lastIndex(): number {
    const anchor = this.#anchor;
    if (anchor === undefined) return this.#shown.length - 1;
    return this.#shown.findLastIndex(({ number }) => number <= anchor);
  }

  protected override tell(): void {
    this.#changes += 1;
    super.tell();
  }
}

const fields: Readonly<Record<string, (line: LogDocument, value: string) => boolean>> = {
  "replica:": ({ replica }, value) => replica.includes(value),
  "rev:": ({ revision }, value) => revision.startsWith(value),
  "stream:": ({ stream }, value) => stream === value,
};

/**
 * Every word must match: a text (ignoring case), `replica:`, `rev:` or `stream:`; a leading `!`
 * inverts.
 */
export function readLogFilter(text: string): (line: LogDocument) => boolean {
  const tests = text.trim().toLowerCase().split(/\s+/).filter(Boolean).map(readWord);
  return (line) => tests.every((test) => test(line));
}

function readWord(word: string): (line: LogDocument) => boolean {
  if (word === "!") return () => true;
  if (word.startsWith("!")) {
    const test = readWord(word.slice(1));
    return (line) => !test(line);
  }
  for (const [name, fits] of Object.entries(fields)) {
    if (word.startsWith(name)) return (line) => fits(line, word.slice(name.length));
  }
  return ({ text }) => text.toLowerCase().includes(word);
}
