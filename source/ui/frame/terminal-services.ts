// Terminal services of the frame: erasing, copying, and running other programs.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describeError } from "../../base/product-error.ts";
import { plural } from "../../base/quantities.ts";
import { isAsciiLocale, toAscii } from "../theme.ts";
import { copySequence } from "./terminal-sequences.ts";

export interface TerminalServices {
  /** Erases the screen: the next frame is painted in full. */
  erase(): void;
  copy(text: string): Promise<string>;
  edit(text: string, extension: string): Promise<string | undefined>;
  page(text: string): Promise<void>;
  /** Runs another program of the terminal until it ends. @returns its exit code */
  run(program: TerminalProgram): Promise<number | string>;
  /** Stops this program until the shell continues it. Absent where shells have no job control. */
  stop?: () => Promise<void>;
}

/** A program with its arguments, and the variables that it gets besides this process's own. */
export interface TerminalProgram {
  readonly words: readonly string[];
  readonly environment?: Environment;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface TerminalServicesOptions {
  readonly erase: () => void;
  /** Gives up the terminal while the work runs, and takes it back. */
  readonly suspend: (work: () => Promise<void>) => Promise<void>;
  /** Writes to the terminal. */
  readonly write: (bytes: string) => void;
  readonly environment: Environment;
}

/** @returns services that run the user's editor and pager in the terminal */
export function terminalServices(options: TerminalServicesOptions): TerminalServices {
  const { erase, suspend, write, environment } = options;
  return {
    erase,
    copy: (text) => copyText(text, { write, environment }),
    edit: async (text, extension) => {
      const program = environment.VISUAL || environment.EDITOR || usualEditor();
      return await withFile(text, extension, async (file) => {
        await suspend(async () => {
          const code = await runWithFile(program, file);
          // Exit code of `:cq` in vi; git treats it the same way.
          if (code !== 0) throw new Error(`'${program}' exited with ${code}; text unchanged`);
        });
        const saved = await readFile(file, "utf8");
        return saved === text ? undefined : saved;
      });
    },
    page: async (text) => {
      const program = environment.PAGER || usualPager();
      const shown = isAsciiLocale(environment, process.platform) ? toAscii(text) : text;
      await withFile(shown, "txt", async (file) => {
        await suspend(async () => void (await runWithFile(program, file)));
      });
    },
    run: async (program) => {
      let code: number | string = 0;
      await suspend(async () => {
        code = await runThenPause(program);
      });
      return code;
    },
    ...(process.platform !== "win32" && { stop: () => suspend(stopUntilContinued) }),
  };
}

/** Limit of many terminals for one sequence. */
const terminalLimitBytes = 74_994;

export interface CopyOptions {
  readonly write: (bytes: string) => void;
  readonly environment: Environment;
  /** Defaults to the machine's own. */
  readonly local?: { write(text: string): Promise<void> };
}

/** Copies through the terminal (OSC 52) and into the local clipboard. @returns the outcome */
export async function copyText(text: string, options: CopyOptions): Promise<string> {
  const { write, environment } = options;
  if (text === "") return "Nothing to copy";
  const encoded = Buffer.from(text, "utf8").toString("base64");
  const fitsTerminal = encoded.length <= terminalLimitBytes;
  // Over ssh the user's clipboard is the terminal's, not this machine's.
  if (fitsTerminal) write(copySequence(encoded));
  const characters = plural(Array.from(text).length, "character");
  const isRemote = Boolean(environment.SSH_CONNECTION || environment.SSH_TTY);
  const isCopied = !isRemote && (await isCopiedHere(text, options.local));
  // Terminals do not confirm a copy.
  if (isCopied || fitsTerminal) return `Copied ${characters}`;
  return `Cannot copy ${characters}: too many for the terminal's clipboard`;
}

/** Writes the local clipboard; a machine without a desktop has none. */
async function isCopiedHere(text: string, local: CopyOptions["local"]): Promise<boolean> {
  try {
    // Imported late: it loads as slowly as all screens together.
    const clipboard = local ?? (await import("clipboardy")).default;
    await clipboard.write(text);
    return true;
  } catch {
    return false;
  }
}

/** Without a shell that waits, the system ignores the signal; the program then continues after this time. */
const ignoredStopMs = 300;

/** Stops the whole job, as Ctrl+Z in a shell does. */
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

/** Passes the text in a private file, which is deleted afterwards. */
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
 * @param program a shell command, as in $EDITOR
 * @returns its exit code, or the signal that ended it
 */
async function runWithFile(program: string, file: string): Promise<number | string> {
  const isWindows = process.platform === "win32";
  const child = isWindows
    ? spawn(`${program} "${file}"`, { stdio: "inherit", shell: true })
    : spawn("/bin/sh", ["-c", `${program} "$1"`, "sh", file], { stdio: "inherit" });
  const code = await ended(child, program);
  // Exit codes by which a shell reports a missing program.
  if (code !== 126 && code !== 127) return code;
  throw new Error(`Cannot start '${program}'. Set $EDITOR or $PAGER to a program.`);
}

/** Waits for Enter after a failure: its message would vanish behind the screen. */
const thenPause =
  '"$@"; code=$?; [ $code = 0 ] || { printf "\\nPress Enter to return. "; read -r _; }; exit $code';

async function runThenPause({ words, environment }: TerminalProgram): Promise<number | string> {
  const [program = "", ...rest] = words;
  const options = { stdio: "inherit", env: { ...process.env, ...environment } } as const;
  const child =
    process.platform === "win32"
      ? spawn(program, rest, options)
      : spawn("/bin/sh", ["-c", thenPause, "sh", ...words], options);
  return await ended(child, program);
}

/** @returns the exit code of a program, or the signal that ended it */
async function ended(child: ChildProcess, program: string): Promise<number | string> {
  return await new Promise((resolve, reject) => {
    child.once("error", (error) => {
      reject(new Error(`Cannot start ${program}: ${describeError(error)}`));
    });
    child.once("exit", (code, signal) => resolve(code ?? signal ?? 0));
  });
}

/** Ink's functions for the terminal, available once it paints. */
export interface TerminalHandle {
  /** Stops painting, runs the work with the terminal restored, and paints again. */
  suspend: ((work: () => Promise<void>) => Promise<unknown>) | undefined;
  /** True while another program has the terminal: its signals are meant for that program. */
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
    // First, so that an Enter typed early goes to the other program.
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
 * Stops Node from reading, so that the other program gets every key: Ink only stops listening. Node
 * reads again once Ink listens.
 */
async function stopReading(stdin: NodeJS.ReadStream): Promise<void> {
  stdin.emit("pause");
  // Node stops on the next tick.
  await new Promise((resolve) => setImmediate(resolve));
}
