// Reads one line without showing it: a key, a secret's value.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { usageError } from "../errors.ts";

/**
 * Asks on a terminal; reads all of standard input elsewhere, without the newline at its end.
 *
 * @throws ProductError `COMMAND_USAGE` when there is nothing
 */
export async function readSecretLine(question: string): Promise<string> {
  const line = process.stdin.isTTY ? await ask(question) : await readAll(process.stdin);
  const value = line.replace(/\r?\n$/, "");
  if (value !== "") return value;
  throw usageError("The value is empty.", "Type it, or send it on standard input.");
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  // Discards readline's echo.
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const interrupted = new AbortController();
  lines.once("SIGINT", () => interrupted.abort());
  try {
    return await lines.question("", { signal: interrupted.signal });
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
