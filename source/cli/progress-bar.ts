// Progress bar of a download, a copy or a prompt, with rate and remaining time.

import type { Clock } from "../base/clock.ts";
import { formatBytes } from "../base/formats.ts";
import { cellWidth, cutToWidth } from "./text-width.ts";

const maxSamples = 10;
const sampleMs = 1000;
const narrowestBar = 4;
/** Blanks and edges around the bar, and the last column, where terminals wrap. */
const besidesBar = 5;

export type ProgressUnit = "bytes" | "tokens";

interface Sample {
  atMs: number;
  amount: number;
}

export class ProgressBar {
  readonly label: string;
  readonly #clock: Clock;
  readonly #unit: ProgressUnit;
  /** The last ten, one a second. */
  readonly #samples: Sample[] = [];
  #completed = 0;
  #total: number | undefined;

  constructor(label: string, clock: Clock, unit: ProgressUnit = "bytes") {
    this.label = label;
    this.#clock = clock;
    this.#unit = unit;
  }

  /**
   * The first call sets the start for the rate. Progress never goes back.
   *
   * @param total undefined if unknown
   */
  update(completed: number, total: number | undefined): void {
    this.#total = total;
    const most = total ?? Number.POSITIVE_INFINITY;
    this.#completed = Math.min(Math.max(this.#completed, completed), most);
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
    const rateText = isMoving ? `  ${this.#amount(rate).padStart(6)}/s` : "";
    if (this.#total === undefined) {
      const start = `${this.label}: ${this.#amount(this.#completed)}`;
      return cutToWidth(`${start}${rateText}`, width - 1);
    }
    const left = `${this.label}: ${String(this.percent).padStart(3)}%`;
    const total = this.#amount(this.#total).padStart(6);
    const sizes = this.isDone ? total : `${this.#part().padStart(6)}/${total}`;
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
    if (this.#total === undefined) return `${this.label}: ${this.#amount(this.#completed)}`;
    const total = this.#amount(this.#total);
    return `${this.label}: ${this.percent}% ${this.isDone ? total : `${this.#part()}/${total}`}`;
  }

  #amount(value: number): string {
    return this.#unit === "bytes" ? formatBytes(value) : `${Math.round(value)} tokens`;
  }

  /** Returns the completed amount, before its total: `560 MB`, `8192`. */
  #part(): string {
    return this.#unit === "bytes" ? formatBytes(this.#completed) : String(this.#completed);
  }

  #bar(room: number): string {
    const share = this.#total ? this.#completed / this.#total : 1;
    const filled = Math.floor(room * share);
    return "█".repeat(filled) + " ".repeat(room - filled);
  }

  /** Amount per second over the last samples; falls to 0 if nothing arrives. */
  #rate(): number {
    const last = this.#samples.at(-1);
    if (last !== undefined && this.#clock.now() - last.atMs >= sampleMs) this.#sample();
    const from = this.#samples[0];
    const to = this.#samples.at(-1);
    if (from === undefined || to === undefined || to.atMs === from.atMs) return 0;
    return (to.amount - from.amount) / ((to.atMs - from.atMs) / 1000);
  }

  #sample(): void {
    this.#samples.push({ atMs: this.#clock.now(), amount: this.#completed });
    if (this.#samples.length > maxSamples) this.#samples.shift();
  }
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
