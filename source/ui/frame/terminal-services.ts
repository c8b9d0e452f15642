// What the frame needs of the terminal itself: erasing, copying, and lending it to other programs.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describeError } from "../../base/product-error.ts";
import type { copyText } from "./clipboard.ts";

export interface TerminalServices {
  /** Forgets what is on the screen: the next picture is painted whole. */
  erase(): void;
  copy(text: string): Promise<string>;
  edit(text: string, extension: string): Promise<string | undefined>;
  page(text: string): Promise<void>;
  /** Stops this program until the shell continues it. Without it shells cannot do that. */
  stop?: () => Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface TerminalServicesOptions {
  readonly erase: () => void;
  /** Gives the terminal away while the work goes on, and takes it back. */
  readonly suspend: (work: () => Promise<void>) => Promise<void>;
  readonly copy: (text: string) => ReturnType<typeof copyText>;
  readonly environment: Environment;
}

/** @returns services that run the person's own editor and pager on the whole terminal */
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
          // As `:cq` does in vi, and as git understands it.
          if (code !== 0) throw new Error(`'${program}' ended with ${code}: the text is as it was`);
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

/** Where no shell waits for this program, the system ignores the signal: then it goes on soon. */
const ignoredStopMs = 300;

/** Stops the whole job, as Ctrl+Z of the terminal itself does. */
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

/** Readable by this user alone, and gone afterwards. */
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
      reject(new Error(`${program} cannot be started: ${describeError(error)}`));
    });
    child.once("exit", (code, signal) => {
      // A shell says with these that there is no such program.
      if (code !== 126 && code !== 127) return resolve(code ?? signal ?? 0);
      reject(new Error(`'${program}' cannot be started; set $EDITOR or $PAGER to a program`));
    });
  });
}

/** Ink's ways to the terminal, which exist only once it paints. */
export interface TerminalHandle {
  /** Ends what is painted, runs the work with the terminal as it was, and paints again. */
  suspend: ((work: () => Promise<void>) => Promise<unknown>) | undefined;
  /** Another program has the terminal: its signals are meant for it. */
  isSuspended: boolean;
}

/** Lends the terminal for the time of the work. @param stdin where keys are read from until then */
export async function suspendTerminal(
  handle: TerminalHandle,
  stdin: NodeJS.ReadStream,
  work: () => Promise<void>,
): Promise<void> {
  if (handle.suspend === undefined) throw new Error("The terminal is not painted on yet");
  handle.isSuspended = true;
  try {
    // Before this screen goes: an Enter that is typed as soon as the other program's is seen is for that one.
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
 * Ink stops listening, yet Node goes on taking what is typed: the other program would miss keys. Node lets
 * go at this event, and reads again once Ink listens again.
 */
async function stopReading(stdin: NodeJS.ReadStream): Promise<void> {
  stdin.emit("pause");
  // It is done on the next tick.
  await new Promise((resolve) => setImmediate(resolve));
}
