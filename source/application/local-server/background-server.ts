// Starts a server in a detached process, which outlives the command.
import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ProductError } from "../../base/product-error.ts";
import { clientErrors } from "../../client/errors.ts";
import { writingState } from "../../configuration/paths.ts";
import { logLine, setAsideLargeLog } from "./server-log.ts";

const pollMs = 25;
const startTimeoutMs = 30_000;

export interface BackgroundOptions {
  /** The program's entry file. */
  entry: string;
  stateFolder: string;
  /** Flags for the server, as typed. */
  flags: readonly string[];
  /** Aborts the wait; the server still starts, and stops when idle. */
  signal?: AbortSignal;
}

export function backgroundLogFile(stateFolder: string): string {
  return path.join(stateFolder, "server.log");
}

/**
 * Starts a server and waits until one answers: this one, or that of a faster command.
 *
 * @param find looks for a running server
 * @throws ProductError `CLIENT_SERVER_UNREACHABLE` naming the log file,
 *   `CONFIGURATION_STATE_UNWRITABLE`; the signal's reason
 */
export async function startBackgroundServer<T>(
  options: BackgroundOptions,
  find: () => Promise<T | undefined>,
): Promise<T> {
  const { entry, stateFolder, flags, signal } = options;
  const logFile = backgroundLogFile(stateFolder);
  const log = writingState(stateFolder, () => beginLog(logFile));
  const from = fstatSync(log).size;
  const child = spawn(process.execPath, [entry, "serve", "--background", ...flags], {
    detached: true,
    windowsHide: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  child.unref();
  let howEnded: (() => string) | undefined;
  child.once("error", (error) => {
    howEnded = () => `could not be run: ${error.message}`;
  });
  child.once("exit", () => {
    howEnded = () => `ended at once${lastError(logFile, from)}`;
  });
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    signal?.throwIfAborted();
    const found = await find();
    if (found !== undefined) return found;
    // It exits if another one was faster, which answers then.
    if (howEnded !== undefined) {
      const other = await find();
      if (other !== undefined) return other;
      break;
    }
    await wait(pollMs);
  }
  throw new ProductError(clientErrors.unreachable, {
    message: `The background server ${
      howEnded?.() ?? `did not answer within ${startTimeoutMs / 1000} s`
    }.`,
    hint: `See its log: ${logFile}`,
  });
}

/** Opens the server's log. Writing a line detects a full disk. */
function beginLog(logFile: string): number {
  mkdirSync(path.dirname(logFile), { recursive: true, mode: 0o700 });
  setAsideLargeLog(logFile);
  const log = openSync(logFile, "a", 0o600);
  writeSync(log, logLine("starting a server in the background"));
  return log;
}

/** Returns the error that the server printed last; empty if none. */
function lastError(logFile: string, from: number): string {
  if (!existsSync(logFile)) return "";
  const text = readFileSync(logFile).subarray(from).toString("utf8");
  const sentence = /^Error: (.+?)\.?$/.exec(text.trimEnd().split("\n").at(-1) ?? "")?.[1];
  return sentence === undefined ? "" : `: ${sentence}`;
}
