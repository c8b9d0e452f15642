// Prints an app's log lines, and each further one as it comes.

import { exitCodes } from "../../base/product-error.ts";
import { showControls } from "../../base/seen-text.ts";
import type { AdminClient, AppReference } from "../../cloud/admin/admin-client.ts";
import type { LogDocument } from "../../cloud/admin/documents.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "./flags.ts";
import { readCount, readTime } from "./read-values.ts";

const usualLines = 100;

export async function printLogs(
  client: AdminClient,
  app: AppReference,
  flags: Flags,
): Promise<number> {
  const { follow, json, search, rev: revision, replica } = flags;
  const sinceMs = readTime("--since", flags.since);
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  const lines = client.logs(app, {
    revision,
    replica,
    search,
    follow,
    lines: readLines(flags.lines, sinceMs),
    sinceMs: sinceMs === undefined ? undefined : Date.now() - sinceMs,
    signal: interrupted.signal,
  });
  for await (const line of lines) {
    process.stdout.write(json ? `${JSON.stringify(line)}\n` : logLineText(line));
  }
  return interrupted.signal.aborted ? exitCodes.interrupted : exitCodes.ok;
}

/** The time of day, the last part of the replica's id, the text. */
export function logLineText({ ts, replica, stream, text }: LogDocument): string {
  const time = new Date(ts).toTimeString().slice(0, 8);
  const mark = stream === "event" ? "*" : " ";
  return `${time} ${replica.slice(-8).padEnd(8)} ${mark} ${showControls(text)}\n`;
}

/** A span of time is shown whole; otherwise the last hundred. */
function readLines(text: string | undefined, sinceMs: number | undefined): number | undefined {
  if (text === "all") return undefined;
  if (text === undefined) return sinceMs === undefined ? usualLines : undefined;
  const count = readCount("--lines", text, { least: 1 });
  if (count === undefined) throw usageError("--lines has no value.", "Use a number, or all.");
  return count;
}
