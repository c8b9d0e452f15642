// In-memory terminal of a chosen size: takes bytes from Ink and shows the resulting screen.

import { Console } from "node:console";
import { PassThrough, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import headless from "@xterm/headless";

// The test runner's console lacks the class from which Ink creates its own.
console.Console ??= Console;

/** The first screen of a file loads its modules, which takes long on a busy machine. */
const waitMaximumMs = 30_000;
const pollIntervalMs = 15;

/** Keys as a terminal sends them. */
export const keys = {
  enter: "\r",
  escape: "\x1b",
  ctrlC: "\x03",
  ctrlD: "\x04",
  ctrlJ: "\n",
  ctrlL: "\x0c",
  up: "\x1b[A",
  down: "\x1b[B",
  left: "\x1b[D",
  end: "\x1b[F",
  home: "\x1b[H",
  pageUp: "\x1b[5~",
  pageDown: "\x1b[6~",
  backspace: "\x7f",
  altEnter: "\x1b\r",
  tab: "\t",
  paste: (text: string): string => `\x1b[200~${text}\x1b[201~`,
} as const;

class TerminalOutput extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** All bytes written, for checks that the screen does not allow. */
  bytes = "";
  readonly #terminal: headless.Terminal;

  constructor(terminal: headless.Terminal, columns: number, rows: number) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: string | Uint8Array, _encoding: string, done: () => void): void {
    this.bytes += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    this.#terminal.write(chunk, done);
  }
}

class TerminalInput extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** A text or a pattern that the screen shows, or a condition. */
type Expected = string | RegExp | ((screen: SizedTerminal) => boolean);

export class SizedTerminal {
  readonly #terminal: headless.Terminal;
  readonly #output: TerminalOutput;
  readonly #input = new TerminalInput();

  constructor(columns: number, rows: number) {
    this.#terminal = new headless.Terminal({
      cols: columns,
      rows,
      allowProposedApi: true,
      // A fake output has no line discipline, so line feeds do not return the carriage.
      convertEol: true,
    });
    this.#output = new TerminalOutput(this.#terminal, columns, rows);
  }

  // The fakes have the parts of terminal streams that Ink uses.
  get stdout(): NodeJS.WriteStream {
    return this.#output as unknown as NodeJS.WriteStream;
  }

  get stdin(): NodeJS.ReadStream {
    return this.#input as unknown as NodeJS.ReadStream;
  }

  get isRaw(): boolean {
    return this.#input.isRaw;
  }

  get bytes(): string {
    return this.#output.bytes;
  }

  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  get cursor(): { x: number; y: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { x: cursorX, y: cursorY };
  }

  /** The rows on the screen, blanks at their ends removed. */
  get lines(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) => {
      return active.getLine(active.baseY + row)?.translateToString(true) ?? "";
    });
  }

  /** The rows on the screen and above it, blanks at their ends removed. */
  get allLines(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: active.length }, (_, row) => {
      return active.getLine(row)?.translateToString(true) ?? "";
    });
  }

  get text(): string {
    return this.lines.join("\n");
  }

  /** Sends bytes as if typed. A lone Esc needs a pause, which `until` on its effect gives. */
  type(bytes: string): void {
    this.#input.write(bytes);
  }

  /** Types, and waits until the screen shows something. */
  async typeUntil(bytes: string, expected: Expected): Promise<void> {
    this.type(bytes);
    await this.until(expected);
  }

  /** Writes behind Ink's back, like another program. */
  smudge(bytes: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#output.columns = columns;
    this.#output.rows = rows;
    this.#output.emit("resize");
  }

  /** The user closed the terminal window. */
  hangUp(): void {
    this.#input.end();
  }

  /** Waits until the screen shows something; fails with the screen that it shows instead. */
  async until(expected: Expected): Promise<void> {
    const deadlineMs = Date.now() + waitMaximumMs;
    while (!this.#shows(expected)) {
      if (Date.now() > deadlineMs) {
        throw new Error(`The screen never showed ${String(expected)}. It shows:\n${this.text}`);
      }
      await sleep(pollIntervalMs);
    }
  }

  #shows(expected: Expected): boolean {
    // A frame read in part would mix rows of two frames.
    if (this.#output.writableLength > 0) return false;
    if (typeof expected === "function") return expected(this);
    return typeof expected === "string" ? this.text.includes(expected) : expected.test(this.text);
  }
}
