// Questions on the terminal: confirmations, choices and secrets.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { shownModel } from "../base/display-text.ts";
import { ProductError } from "../base/product-error.ts";
import { commandErrors, usageError } from "./errors.ts";
import { formatSection } from "./table.ts";

/**
 * Resolves if a model may be replaced: with --force, or after a yes on a terminal.
 *
 * @throws ProductError `COMMAND_NAME_TAKEN` otherwise
 */
export async function confirmReplacing(model: string, isForced = false): Promise<void> {
  if (isForced) return;
  if (await isYes(`Replace '${shownModel(model)}'? [y/N] `)) return;
  throw nameTaken(model);
}

export function nameTaken(model: string): ProductError {
  return new ProductError(commandErrors.nameTaken, {
    message: `A model named '${shownModel(model)}' already exists.`,
    hint: "Use --force to replace it, or choose another name.",
  });
}

/** Asks a yes-or-no question; false without a terminal. */
export async function isYes(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } catch (error) {
    // Ctrl+C and Ctrl+D leave the cursor in the question's line.
    process.stderr.write("\n");
    throw error;
  } finally {
    terminal.close();
  }
}

/**
 * Asks to choose from numbered rows of two columns.
 *
 * @param missing thrown without a terminal
 * @returns the index of the chosen row; undefined for an empty answer, Ctrl+C and Ctrl+D
 */
export async function chooseLine(
  title: string,
  rows: readonly (readonly string[])[],
  missing: ProductError,
): Promise<number | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw missing;
  const numbered = rows.map((row, index) => [`${index + 1}`, ...row]);
  process.stderr.write(formatSection(title, numbered));
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    terminal.setPrompt("Number, or Enter to cancel: ");
    terminal.prompt();
    // Unlike `question`, keeps lines that are typed ahead.
    for await (const line of terminal) {
      const answer = line.trim();
      const index = Number(answer) - 1;
      if (answer === "") break;
      if (rows[index] !== undefined) return index;
      terminal.prompt();
    }
    return undefined;
  } finally {
    terminal.close();
  }
}

/**
 * Reads a line without showing it; without a terminal, reads all of standard input.
 *
 * @throws ProductError `COMMAND_USAGE` for an empty value
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
