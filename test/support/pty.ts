// The built program in a real pseudo-terminal, and what its screen shows.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

const entry = path.join(import.meta.dirname, "..", "..", "dist", "cli.js");
const pollMs = 20;
const longestWaitMs = 30_000;

export interface TerminalOptions {
  columns?: number;
  rows?: number;
  /** A home that outlives this terminal; otherwise one is made and removed. */
  home?: string;
  environment?: Record<string, string>;
  /** Run instead of the program, in a shell. */
  shell?: string;
}

/** A program in its own terminal. Must be closed. */
export async function openTerminal(arguments_: string[], options: TerminalOptions = {}) {
  const { columns = 100, rows = 30 } = options;
  const home = options.home ?? mkdtempSync(path.join(tmpdir(), "modelctl-pty-"));
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const [file, words] =
    options.shell === undefined
      ? [process.execPath, [entry, ...arguments_]]
      : ["/bin/sh", ["-c", options.shell]];
  const program = spawn(file, words, {
    cols: columns,
    rows,
    cwd: home,
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      HOME: home,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      CI: "false",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
      MODELCTL_HOST: `127.0.0.1:${await freePort()}`,
      ...options.environment,
    },
  });
  let raw = "";
  program.onData((data) => {
    raw += data;
    screen.write(data);
  });
  screen.onData((data) => program.write(data));
  let exitCode: number | undefined;
  const exited = new Promise<number>((resolve) => {
    program.onExit((event) => {
      exitCode = event.exitCode;
      // The screen reads what was written some time later.
      screen.write("", () => resolve(event.exitCode));
    });
  });
  const lines = () => {
    const buffer = screen.buffer.active;
    return Array.from(
      { length: screen.rows },
      (_, y) => buffer.getLine(buffer.baseY + y)?.translateToString(true) ?? "",
    );
  };
  const text = () => lines().join("\n");
  const until = async (what: string, holds: () => boolean) => {
    for (let waited = 0; waited < longestWaitMs; waited += pollMs) {
      if (holds()) return;
      await wait(pollMs);
    }
    throw new Error(`${what} did not happen; the screen shows:\n${text()}`);
  };
  return {
    home,
    program,
    exited,
    lines,
    text,
    raw: () => raw,
    buffer: () => screen.buffer.active.type,
    shows: (wanted: string | RegExp) =>
      until(`showing ${wanted}`, () =>
        typeof wanted === "string" ? text().includes(wanted) : wanted.test(text()),
      ),
    /** Waits until keys reach the program: before that the terminal itself would take them. */
    takesKeys: () => until("taking keys", () => raw.includes("\u001b[?2004h")),
    showsNot: (unwanted: string) =>
      until(`hiding ${JSON.stringify(unwanted)}`, () => !text().includes(unwanted)),
    type: (keys: string) => program.write(keys),
    /** Types a line and sends it once the program has taken it in. */
    async send(line: string) {
      program.write(line);
      await until(`taking ${JSON.stringify(line)}`, () =>
        text().includes(`> ${line.slice(0, 60)}`),
      );
      program.write("\r");
    },
    resize(newColumns: number, newRows: number) {
      screen.resize(newColumns, newRows);
      program.resize(newColumns, newRows);
    },
    async close() {
      // All its processes, or one could still write to the home.
      if (exitCode === undefined) killGroup(program.pid);
      await exited;
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

export type TestTerminal = Awaited<ReturnType<typeof openTerminal>>;

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Does nothing for a group that has just ended, whose exit is reported a moment later. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
