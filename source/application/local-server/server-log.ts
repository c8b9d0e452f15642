// The server's log: on standard error for people or programs, or in a file.
import { createWriteStream, mkdirSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { formatRequestLine } from "../../client/requests.ts";
import { writingState } from "../../configuration/paths.ts";
import type { RequestLog } from "../../request-log/request-log.ts";
import type { RequestRecord } from "../../request-log/request-record.ts";

export interface ServerLog {
  log: (text: string) => void;
  /** Writes a line without a time: the server's address, and who can reach it. */
  announce: (text: string) => void;
  request: (record: RequestRecord) => void;
}

const largestBytes = 5 * 1024 ** 2;

export function createServerLog(
  format: "pretty" | "json",
  write: (line: string) => void,
): ServerLog {
  if (format === "pretty") {
    const log = (text: string) => write(logLine(text));
    return {
      log,
      announce: (text) => write(`${text}\n`),
      request: (record) => log(formatRequestLine(record)),
    };
  }
  const line = (fields: Record<string, unknown>) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), ...fields })}\n`);
  const log = (message: string) => line({ message });
  return {
    log,
    announce: log,
    request: (record) => line({ message: "request", request: record }),
  };
}

/** Logs each request that has ended, and each one that ends from now on. */
export function logRequests(requestLog: RequestLog, { request }: ServerLog): void {
  const written = new WeakSet<RequestRecord>();
  const write = (record: RequestRecord) => {
    if (record.state === "running" || written.has(record)) return;
    written.add(record);
    request(record);
  };
  for (const record of requestLog.records) write(record);
  requestLog.follow(write);
}

export function logLine(text: string): string {
  return `${new Date().toISOString()} ${text}\n`;
}

/** Renames a large log, replacing an older one. */
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
  // A full disk must not end the server.
  stream.on("error", () => {});
  return (text) => {
    stream.write(logLine(text));
  };
}

/** Like `openLogFile`; lines are lost if the folder cannot be written. */
export function openLogIfPossible(file: string): (text: string) => void {
  try {
    return openLogFile(file);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return () => {};
  }
}
