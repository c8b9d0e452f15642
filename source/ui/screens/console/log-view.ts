// The log of one deployment: the newest lines, those that pass the filter, and which are in sight.

import type { LogDocument } from "../../../cloud/admin/documents.ts";
import { type LogStream, logStreams, readLogFilter } from "./log-filter.ts";

/** Lines that are kept; older ones are in the server's files. */
const keptLines = 5000;
/** Old lines go many at a time: taking one from the front moves all the others. */
const surplusLines = 1000;

export interface LogEntry {
  /** Grows by one with each line that came. */
  readonly number: number;
  readonly line: LogDocument;
}

/** Taking in a line costs the same however many there are; so does a picture. */
export class LogView {
  #entries: LogEntry[] = [];
  /** Those that pass. */
  #shown: LogEntry[] = [];
  #count = 0;
  #text = "";
  #stream: LogStream = "all";
  #replica: string | undefined;
  #passes: (line: LogDocument) => boolean = () => true;
  /** The last entry in sight; undefined follows the newest. */
  #anchor: number | undefined;
  /** How many came while the view stood still. */
  #missedSince = 0;

  get text(): string {
    return this.#text;
  }

  get stream(): LogStream {
    return this.#stream;
  }

  get replica(): string | undefined {
    return this.#replica;
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

  /** Lines that came since the view stands still. */
  get missed(): number {
    return this.isFollowing ? 0 : this.#count - this.#missedSince;
  }

  get newest(): LogDocument | undefined {
    return this.#entries.at(-1)?.line;
  }

  get hasFilters(): boolean {
    return this.#text !== "" || this.#stream !== "all" || this.#replica !== undefined;
  }

  push(line: LogDocument): void {
    const entry = { number: this.#count, line };
    this.#count += 1;
    this.#entries.push(entry);
    if (this.#isShown(line)) this.#shown.push(entry);
    if (this.#entries.length > keptLines + surplusLines) this.#trim();
  }

  /** For another deployment; the filters stay. */
  clear(): void {
    this.#entries = [];
    this.#shown = [];
    this.#anchor = undefined;
  }

  setText(text: string): void {
    this.#text = text;
    this.#passes = readLogFilter(text);
    this.#filter();
  }

  nextStream(): void {
    const at = logStreams.indexOf(this.#stream);
    this.#stream = logStreams[(at + 1) % logStreams.length] ?? "all";
    this.#filter();
  }

  /** @param replica undefined: those of all */
  setReplica(replica: string | undefined): void {
    this.#replica = replica;
    this.#filter();
  }

  clearFilters(): void {
    this.#stream = "all";
    this.#replica = undefined;
    this.setText("");
  }

  follow(): void {
    this.#anchor = undefined;
  }

  /** Stands still where it is. */
  hold(): void {
    if (!this.isFollowing) return;
    this.#anchor = this.#shown.at(-1)?.number ?? this.#count - 1;
    this.#missedSince = this.#count;
  }

  /** @param lines to newer ones where positive; beyond the newest it follows again */
  scroll(lines: number, height: number): void {
    const last = this.#shown.length - 1;
    const first = Math.min(last, Math.max(0, height - 1));
    const target = Math.max(first, this.#lastIndex() + lines);
    if (target >= last) {
      this.follow();
    } else {
      this.hold();
      this.#anchor = this.#shown[target]?.number;
    }
  }

  /** The lines in sight, oldest first: at most `height`. */
  window(height: number): readonly LogEntry[] {
    // Where what was read is gone, the oldest that are left stand in its place.
    const end = Math.max(this.#lastIndex() + 1, Math.min(height, this.#shown.length));
    return this.#shown.slice(Math.max(0, end - Math.max(0, height)), end);
  }

  /** All that pass, for a pager. */
  shownLines(): LogDocument[] {
    return this.#shown.map(({ line }) => line);
  }

  #isShown(line: LogDocument): boolean {
    if (this.#stream !== "all" && line.stream !== this.#stream) return false;
    if (this.#replica !== undefined && line.replica !== this.#replica) return false;
    return this.#passes(line);
  }

  #filter(): void {
    this.#shown = this.#entries.filter(({ line }) => this.#isShown(line));
  }

  #lastIndex(): number {
    if (this.#anchor === undefined) return this.#shown.length - 1;
    return indexOfLast(this.#shown, this.#anchor);
  }

  #trim(): void {
    this.#entries = this.#entries.slice(-keptLines);
    const oldest = this.#entries[0]?.number ?? 0;
    this.#shown = this.#shown.slice(indexOfLast(this.#shown, oldest - 1) + 1);
  }
}

/** The last entry whose number is not above; -1 for none. They are in order: it is found by halves. */
function indexOfLast(entries: readonly LogEntry[], number: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.number ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
