// The server's log on standard error: for people or for programs.
import { formatRequestLine } from "../client/request-entry.ts";
import type { RequestLog } from "../request-log/request-log.ts";
import type { RequestRecord } from "../request-log/request-record.ts";
import { logLine } from "./log-file.ts";

export interface ServerLog {
  log: (text: string) => void;
  /** A line without a time: the server's address, and who can reach it. */
  announce: (text: string) => void;
  request: (record: RequestRecord) => void;
}

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

/** Writes a line for each request that ends, those that have ended already among them. */
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
