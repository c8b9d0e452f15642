// Progress of a long command: lines redrawn in place on a terminal, plain lines elsewhere.
import { type Clock, systemClock } from "../base/clock.ts";
import { toOneLine } from "../base/display-text.ts";
import { ProgressBar, type ProgressUnit } from "./progress-bar.ts";
import { cutToWidth } from "./text-width.ts";

/** The used parts of `process.stderr`. */
export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  write(text: string): unknown;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;
const plainStepPercent = 10;
/** Width of a terminal's echo of Ctrl+C. */
const echoWidth = "^C".length;

interface StatusLine {
  key: string;
  text: string;
  isDone: boolean;
}

interface BarLine {
  key: string;
  bar: ProgressBar;
  isDone: boolean;
}

/**
 * A status has a spinner until the next line begins; a bar is done when it is full. Finished lines stay
 * above the others; unfinished ones are cut to the terminal's width. Without a terminal, prints a line for
 * each status and for each tenth of a bar, without escape sequences.
 *
 * Call `finish` or `clear` before writing anything else to the terminal.
 */
export class ProgressLines {
  readonly #stream: ProgressStream;
  readonly #clock: Clock;
  readonly #isTerminal: boolean;
  /** On a terminal: unfinished lines, and finished ones below them. */
  #lines: (StatusLine | BarLine)[] = [];
  readonly #bars = new Map<string, BarLine>();
  #status: StatusLine | undefined;
  /** Rows on the terminal from the first line to the cursor. */
  #drawnRows = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: ProgressStream, clock: Clock = systemClock) {
    this.#stream = stream;
    this.#clock = clock;
    this.#isTerminal = stream.isTTY === true && process.env.TERM !== "dumb";
  }

  /**
   * Shows the current step.
   *
   * @param key an unchanged key replaces the text of the current status
   */
  status(text: string, key = text): void {
    const line = toOneLine(text);
    if (this.#status?.key === key) {
      this.#status.text = line;
      return;
    }
    this.#endStatus();
    this.#status = { key, text: line, isDone: false };
    this.#begin(this.#status, line);
  }

  /**
   * Begins or moves the bar of this key. A full bar that starts again replaces the full one, if that can
   * still be redrawn.
   */
  bar(
    key: string,
    label: string,
    completed: number,
    total: number | undefined,
    unit: ProgressUnit = "bytes",
  ): void {
    let line = this.#bars.get(key);
    if (line?.isDone) {
      if (total === undefined || completed >= total) return;
      this.#lines = this.#lines.filter((other) => other !== line);
      line = undefined;
    }
    if (line === undefined) {
      this.#endStatus();
      line = { key, bar: new ProgressBar(toOneLine(label), this.#clock, unit), isDone: false };
      this.#bars.set(key, line);
      line.bar.update(completed, total);
      this.#begin(line, line.bar.plainText());
    } else {
      const before = line.bar.percent;
      line.bar.update(completed, total);
      if (!this.#isTerminal && step(line.bar.percent) > step(before)) {
        this.#stream.write(`${line.bar.plainText()}\n`);
      }
    }
    line.isDone = line.bar.isDone;
  }

  /** Removes the bar of this key, if there is one. */
  remove(key: string): void {
    const line = this.#bars.get(key);
    if (line === undefined) return;
    this.#bars.delete(key);
    this.#lines = this.#lines.filter((other) => other !== line);
    if (this.#isTerminal) this.#draw();
  }

  /** Prints a permanent line above the unfinished ones. */
  print(text: string): void {
    const line = toOneLine(text);
    if (!this.#isTerminal) this.#stream.write(`${line}\n`);
    else this.#draw([line]);
  }

  /** Calls `write`, which prints lines to any stream, above the unfinished ones. */
  above(write: () => void): void {
    if (this.#drawnRows > 0) {
      const up = this.#drawnRows > 1 ? `\u001b[${this.#drawnRows - 1}A` : "";
      this.#stream.write(`${up}\r\u001b[J`);
      this.#drawnRows = 0;
    }
    write();
    if (this.#lines.length > 0) this.#draw();
  }

  /** Ends with all lines as they are. */
  finish(): void {
    for (const line of this.#lines) line.isDone = true;
    this.#end();
  }

  /** Ends, and removes unfinished lines. */
  clear(): void {
    this.#lines = this.#lines.filter((line) => line.isDone);
    this.#end();
  }

  #begin(line: StatusLine | BarLine, plain: string): void {
    if (!this.#isTerminal) {
      this.#stream.write(`${plain}\n`);
      return;
    }
    this.#lines.push(line);
    this.#draw();
    this.#timer ??= setInterval(() => this.#draw(), frameMs).unref();
  }

  #endStatus(): void {
    if (this.#status) this.#status.isDone = true;
    this.#status = undefined;
  }

  #end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#drawnRows > 0) this.#draw();
    this.#lines = [];
    this.#bars.clear();
    this.#status = undefined;
    this.#drawnRows = 0;
  }

  /** Draws in one write, to avoid flicker; the cursor ends in the last row. */
  #draw(above: readonly string[] = []): void {
    // Some terminals report a size of 0.
    const columns = this.#stream.columns || 80;
    const rows = this.#stream.rows || 24;
    const up = this.#drawnRows > 1 ? `\u001b[${this.#drawnRows - 1}A` : "";
    const firstChanging = this.#lines.findIndex((line) => !line.isDone);
    const doneCount = firstChanging < 0 ? this.#lines.length : firstChanging;
    const done = this.#lines.splice(0, doneCount).map((line) => this.#text(line, columns));
    // Lines above the top of the terminal cannot be redrawn.
    const changing = this.#lines
      .slice(0, Math.max(1, rows - 1))
      .map((line) => cutToWidth(this.#text(line, columns - echoWidth), columns - 1));
    // Permanent lines may take several rows, so everything below is cleared first.
    const stay = [...above, ...done];
    const text = [
      ...(stay.length > 0 ? ["\u001b[J"] : []),
      ...stay.map((line) => `${line}\n`),
      changing.map((line) => `${line}\u001b[K`).join("\n"),
    ].join("");
    this.#drawnRows = changing.length;
    this.#stream.write(`${up}\r${text}\u001b[J`);
  }

  #text(line: StatusLine | BarLine, columns: number): string {
    if ("bar" in line) return line.bar.text(columns);
    if (line.isDone) return line.text;
    const frame = frames[Math.floor(this.#clock.now() / frameMs) % frames.length];
    return `${cutToWidth(line.text, columns - 3)} ${frame}`;
  }
}

function step(percent = 0): number {
  return Math.floor(percent / plainStepPercent);
}
