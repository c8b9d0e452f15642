// Terminal services of the frame: erasing, copying, and suspending for other programs.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describeError } from "../../base/product-error.ts";
import type { copyText } from "./clipboard.ts";

export interface TerminalServices {
  /** Erases the screen: the next frame is painted in full. */
  erase(): void;
  copy(text: string): Promise<string>;
  edit(text: string, extension: string): Promise<string | undefined>;
  page(text: string): Promise<void>;
  /** Stops this program until the shell continues it. Absent where shells have no job control. */
  stop?: () => Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface TerminalServicesOptions {
  readonly erase: () => void;
  /** Gives up the terminal while the work runs, and takes it back. */
  readonly suspend: (work: () => Promise<void>) => Promise<void>;
  readonly copy: (text: string) => ReturnType<typeof copyText>;
  readonly environment: Environment;
}

/** @returns services that run the user's editor and pager in the terminal */
export function terminalServices(options: TerminalServicesOptions): TerminalServices {
  const { erase, suspend, copy, environment } = options;
  return {
    erase,
    copy,
    edit: async (text, extension) => {
      const program = environment.VISUAL || environment.EDITOR || usualEditor();
      return await withFile(text, extension, async (file) => {
        await suspend(async () => {
          const code = await runProgram(program, file);
          // Exit code of `:cq` in vi; git treats it the same way.
          if (code !== 0) throw new Error(`'${program}' exited with ${code}; text unchanged`);
        });
        const saved = await readFile(file, "utf8");
        return saved === text ? undefined : saved;
      });
    },
    page: async (text) => {
      const program = environment.PAGER || usualPager();
      await withFile(text, "txt", async (file) => {
        await suspend(async () => void (await runProgram(program, file)));
      });
    },
    ...(process.platform !== "win32" && { stop: () => suspend(stopUntilContinued) }),
  };
}

/** Without a waiting shell the system ignores the signal, and the program continues after this time. */
const ignoredStopMs = 300;

/** Stops the whole job, as the terminal's own Ctrl+Z does. */
async function stopUntilContinued(): Promise<void> {
  const continued = Promise.withResolvers<void>();
  process.once("SIGCONT", continued.resolve);
  const timer = setTimeout(continued.resolve, ignoredStopMs);
  process.kill(0, "SIGTSTP");
  await continued.promise;
  clearTimeout(timer);
  process.off("SIGCONT", continued.resolve);
}

function usualEditor(): string {
  return process.platform === "win32" ? "notepad" : "vi";
}

function usualPager(): string {
  return process.platform === "win32" ? "more" : "less -R";
}

/** Readable by this user only, and deleted afterwards. */
async function withFile<T>(
  text: string,
  extension: string,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "modelctl-"));
  try {
    const file = path.join(folder, `text.${extension}`);
    await writeFile(file, text, { mode: 0o600 });
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param program as in $EDITOR: a command with its own words, for a shell
 * @returns its exit code, or the signal that ended it
 */
async function runProgram(program: string, file: string): Promise<number | string> {
  const isWindows = process.platform === "win32";
  const child = isWindows
    ? spawn(`${program} "${file}"`, { stdio: "inherit", shell: true })
    : spawn("/bin/sh", ["-c", `${program} "$1"`, "sh", file], { stdio: "inherit" });
  return await new Promise<number | string>((resolve, reject) => {
    child.once("error", (error) => {
      reject(new Error(`Cannot start ${program}: ${describeError(error)}`));
    });
    child.once("exit", (code, signal) => {
      // Exit codes by which a shell reports a missing program.
      if (code !== 126 && code !== 127) return resolve(code ?? signal ?? 0);
      reject(new Error(`Cannot start '${program}'. Set $EDITOR or $PAGER to a program.`));
    });
  });
}

/** Ink's functions for the terminal, available once it paints. */
export interface TerminalHandle {
  /** Stops painting, runs the work with the terminal restored, and paints again. */
  suspend: ((work: () => Promise<void>) => Promise<unknown>) | undefined;
  /** Another program has the terminal, and its signals are meant for that one. */
  isSuspended: boolean;
}

/** Suspends the program while the work uses the terminal. @param stdin source of keys until then */
export async function suspendTerminal(
  handle: TerminalHandle,
  stdin: NodeJS.ReadStream,
  work: () => Promise<void>,
): Promise<void> {
  if (handle.suspend === undefined) throw new Error("The terminal is not ready");
  handle.isSuspended = true;
  try {
    // Runs first, so that an Enter typed at the other program's first sight goes to that program.
    stdin.setRawMode(false);
    await handle.suspend(async () => {
      await stopReading(stdin);
      await work();
    });
  } finally {
    handle.isSuspended = false;
  }
}

/**
 * Ink stops listening, but Node keeps reading, so the other program would miss keys. Node stops at
 * this event and starts again when Ink listens.
 */
async function stopReading(stdin: NodeJS.ReadStream): Promise<void> {
  stdin.emit("pause");
  // Node stops on the next tick.
  await new Promise((resolve) => setImmediate(resolve));
}
