// Progress bar of a download or a copy, with rate and remaining time.

import type { Clock } from "../base/clock.ts";
import { formatBytes } from "../base/formats.ts";
import { cellWidth, cutToWidth } from "./text-width.ts";

const mostSamples = 10;
const sampleMs = 1000;
const narrowestBar = 4;
/** Blanks and edges around the bar, and the last column, where terminals wrap. */
const besidesBar = 5;

interface Sample {
  atMs: number;
  bytes: number;
}

export class ProgressBar {
  readonly label: string;
  readonly #clock: Clock;
  /** The last ten, one a second. */
  readonly #samples: Sample[] = [];
  #completed = 0;
  #total: number | undefined;

  constructor(label: string, clock: Clock) {
    this.label = label;
    this.#clock = clock;
  }

  /**
   * The first call sets the start for the rate. Progress never goes back.
   *
   * @param totalBytes undefined if unknown
   */
  update(completedBytes: number, totalBytes: number | undefined): void {
    this.#total = totalBytes;
    const most = totalBytes ?? Number.POSITIVE_INFINITY;
    this.#completed = Math.min(Math.max(this.#completed, completedBytes), most);
    if (this.#samples.length === 0) this.#sample();
  }

  get isDone(): boolean {
    return this.#total !== undefined && this.#completed >= this.#total;
  }

  /** Whole percent, 100 only when done; undefined if the total is unknown. */
  get percent(): number | undefined {
    if (this.#total === undefined) return undefined;
    return this.isDone ? 100 : Math.floor((this.#completed / this.#total) * 100);
  }

  /** `pulling 74701a8c35f6:  42% ▕█████     ▏ 560 MB/1.3 GB   24 MB/s     31s` */
  text(width: number): string {
    const rate = this.#rate();
    const isMoving = !this.isDone && rate > 0;
    const rateText = isMoving ? `  ${size(rate)}/s` : "";
    if (this.#total === undefined) {
      const start = `${this.label}: ${formatBytes(this.#completed)}`;
      return cutToWidth(`${start}${rateText}`, width - 1);
    }
    const left = `${this.label}: ${String(this.percent).padStart(3)}%`;
    const sizes = this.isDone ? size(this.#total) : `${size(this.#completed)}/${size(this.#total)}`;
    const remainingMs = ((this.#total - this.#completed) / rate) * 1000;
    const columns = [
      sizes.padEnd(13),
      rateText.padEnd(10),
      (isMoving ? `  ${formatRemaining(remainingMs).padStart(6)}` : "").padEnd(8),
    ];
    // Drops the time first if there is little room, then the rate, then the bar.
    while (columns.length > 0) {
      const right = columns.join("");
      const room = width - cellWidth(left) - right.length - besidesBar;
      if (room >= narrowestBar) return `${left} ▕${this.#bar(room)}▏ ${right}`.trimEnd();
      columns.pop();
    }
    return cutToWidth(`${left} ${sizes.trim()}`, width - 1);
  }

  /** Text for a file or a pipe: `pulling 74701a8c35f6: 42% 560 MB/1.3 GB`. */
  plainText(): string {
    const completed = formatBytes(this.#completed);
    if (this.#total === undefined) return `${this.label}: ${completed}`;
    const total = formatBytes(this.#total);
    return `${this.label}: ${this.percent}% ${this.isDone ? total : `${completed}/${total}`}`;
  }

  #bar(room: number): string {
    const share = this.#total ? this.#completed / this.#total : 1;
    const filled = Math.floor(room * share);
    return "█".repeat(filled) + " ".repeat(room - filled);
  }

  /** Bytes per second over the last samples; falls to 0 if nothing arrives. */
  #rate(): number {
    const last = this.#samples.at(-1);
    if (last !== undefined && this.#clock.now() - last.atMs >= sampleMs) this.#sample();
    const from = this.#samples[0];
    const to = this.#samples.at(-1);
    if (from === undefined || to === undefined || to.atMs === from.atMs) return 0;
    return (to.bytes - from.bytes) / ((to.atMs - from.atMs) / 1000);
  }

  #sample(): void {
    this.#samples.push({ atMs: this.#clock.now(), bytes: this.#completed });
    if (this.#samples.length > mostSamples) this.#samples.shift();
  }
}

function size(bytes: number): string {
  return formatBytes(bytes).padStart(6);
}

/** Formats with at most two units: `31s`, `5m3s`, `1h12m`, `99h+`. */
export function formatRemaining(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 100) return "99h+";
  if (hours > 0) return `${hours}h${minutes % 60}m`;
  if (minutes > 0) return `${minutes}m${seconds % 60}s`;
  return `${seconds}s`;
}
