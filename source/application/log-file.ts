// The server's log when there is no terminal to print it on.
import { createWriteStream, mkdirSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../base/product-error.ts";
import { writingState } from "./state-folder.ts";

const largestBytes = 5 * 1024 ** 2;

/** A log line with its time. */
export function logLine(text: string): string {
  return `${new Date().toISOString()} ${text}\n`;
}

/** Renames a log that grew large, replacing an older one. */
export function setAsideLargeLog(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largestBytes) {
    renameSync(file, `${file}.1`);
  }
}

/** Appends lines to a file of the state folder. @throws ProductError of `writingState` */
export function openLogFile(file: string): (text: string) => void {
  const folder = path.dirname(file);
  writingState(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    setAsideLargeLog(file);
  });
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  // A full disk must not end the server; the log is not worth that.
  stream.on("error", () => {});
  return (text) => {
    stream.write(logLine(text));
  };
}

/** Like `openLogFile`; lines are lost when the folder cannot be written. */
export function openLogIfPossible(file: string): (text: string) => void {
  try {
    return openLogFile(file);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return () => {};
  }
}
