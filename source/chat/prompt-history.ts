// The prompt history on disk: one JSON string per line, so that entries of several lines survive.

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { harmlessInput } from "../base/harmless-text.ts";
import { parseJson } from "../base/json.ts";
import { unfinishedPath } from "../base/unfinished-files.ts";
import { systemCode } from "../base/write-refusal.ts";
import { textsOf } from "../client/reply-fields.ts";

/** Entries that the editor and the history file keep. */
export const historyEntriesMaximum = 100;

/** Earlier prompts, oldest first, and their file. */
export interface PromptHistory {
  readonly entries: readonly string[];
  readonly file: PromptHistoryFile | undefined;
}

/** Ignores an unreadable file: a chat works without a history. */
export async function openPromptHistory(path: string | undefined): Promise<PromptHistory> {
  const entries = path && (await readPromptHistory(path).catch(() => undefined));
  return path && entries
    ? { entries, file: new PromptHistoryFile(path) }
    : { entries: [], file: undefined };
}

/** Entries oldest first; a missing file is an empty history and a damaged line is skipped. */
export async function readPromptHistory(path: string): Promise<string[]> {
  const content = await readFile(path, "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  });
  const entries = textsOf(content.split("\n").map(parseJson)).map(harmlessInput);
  return entries.slice(-historyEntriesMaximum);
}

/** Adds an entry to the history, unless it is blank or repeats the newest one. */
export function withHistoryEntry(history: readonly string[], entry: string): readonly string[] {
  if (entry.trim() === "" || history.at(-1) === entry) return history;
  return [...history, entry].slice(-historyEntriesMaximum);
}

/** Appends entries in the order of the calls; each call rewrites the file as a whole. */
export class PromptHistoryFile {
  readonly #path: string;
  #writes: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when the entry is on disk; rejects with the file system's error. */
  append(entry: string): Promise<void> {
    const write = this.#writes.then(() => this.#rewrite(entry));
    // A failed write must not stop the next one.
    this.#writes = write.catch(() => {});
    return write;
  }

  /** Resolves when all writes have finished. */
  settled(): Promise<void> {
    return this.#writes;
  }

  async #rewrite(entry: string): Promise<void> {
    // Read again: another terminal may have added entries since.
    const entries = withHistoryEntry(await readPromptHistory(this.#path), entry);
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const temporaryPath = unfinishedPath(this.#path);
    try {
      const content = entries.map((text) => `${JSON.stringify(text)}\n`).join("");
      await writeFile(temporaryPath, content, { mode: 0o600 });
      await rename(temporaryPath, this.#path);
    } catch (error) {
      await rm(temporaryPath, { force: true });
      throw error;
    }
  }
}
