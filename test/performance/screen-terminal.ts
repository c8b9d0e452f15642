// Program in a terminal of 120x40, with its output, and the time until a key's effect is visible.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type IPty, spawn } from "@lydell/node-pty";
import { bundleProgram } from "../support/bundle-program.ts";
import { killOnExit } from "./clean-up.ts";

export const columns = 120;
export const rows = 40;
const waitLimitMs = 60_000;

/** @param name of a program in this folder, such as `screen-process` */
export async function openProgram(name: string, environment: Record<string, string>) {
  const file = await bundleProgram(join(import.meta.dirname, `${name}.ts`));
  return openScreen([file], environment);
}

export function openScreen(words: readonly string[], environment: Record<string, string>) {
  const terminal: IPty = spawn(process.execPath, [...words], {
    cols: columns,
    rows,
    env: {
      PATH: process.env.PATH,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      FORCE_COLOR: "1",
      CI: "false",
      ...environment,
    },
  });
  const forget = killOnExit(terminal.pid);
  const ended = new Promise<void>((done) => terminal.onExit(() => done()));
  let seen = "";
  let bytes = 0;
  let waiting: (() => void) | undefined;
  terminal.onData((data) => {
    bytes += Buffer.byteLength(data);
    seen += data;
    waiting?.();
  });
  const shows = async (text: string) => {
    const deadlineMs = performance.now() + waitLimitMs;
    // Colours may be set between two words.
    while (!plain(seen).includes(text)) {
      if (performance.now() > deadlineMs) {
        throw new Error(`the screen never showed ${JSON.stringify(text)}:\n${seen.slice(-2000)}`);
      }
      await Promise.race([new Promise<void>((done) => (waiting = done)), sleep(100)]);
    }
  };
  return {
    shows,
    /** Until then the terminal itself would handle keys. */
    takesKeys: async () => {
      while (!seen.includes("\u001b[?2004h")) await sleep(20);
    },
    byteCount: () => bytes,
    /** Resolves when the program has exited. */
    ended,
    write: (text: string) => {
      seen = "";
      terminal.write(text);
    },
    async timeKey(key: string) {
      seen = "";
      const pressedAtMs = performance.now();
      terminal.write(key);
      await shows(key);
      return performance.now() - pressedAtMs;
    },
    close: () => {
      terminal.kill("SIGKILL");
      forget();
    },
  };
}

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
  return text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
}
