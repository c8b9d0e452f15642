// Tests that the history file survives concurrent writers and damage, and stays private.

import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PromptHistoryFile, readPromptHistory } from "../../source/chat/prompt-history.ts";
import { temporaryFolder } from "../support/model-store.ts";

test("two terminals share one file, which only its owner can read", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "history");
  const one = new PromptHistoryFile(path);
  const other = new PromptHistoryFile(path);
  await one.append("first\nwith two lines");
  await other.append("second");
  await Promise.all([one.append("third"), one.append("third"), one.append("fourth")]);
  expect(await readPromptHistory(path)).toEqual([
    "first\nwith two lines",
    "second",
    "third",
    "fourth",
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["history"]);
});

test("the newest hundred entries are kept", async () => {
  const path = join(temporaryFolder(), "history");
  const lines = Array.from({ length: 100 }, (_, index) => JSON.stringify(`entry ${index}`));
  await writeFile(path, `${lines.join("\n")}\n`, { mode: 0o644 });
  await new PromptHistoryFile(path).append("newest");
  const entries = await readPromptHistory(path);
  expect(entries).toHaveLength(100);
  expect(entries[0]).toBe("entry 1");
  expect(entries.at(-1)).toBe("newest");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a missing file is an empty history, and damaged lines are skipped", async () => {
  const path = join(temporaryFolder(), "history");
  expect(await readPromptHistory(path)).toEqual([]);
  await writeFile(path, '"good"\nplain text\n{"a":1}\n"cut off\n\n"with \\u001b control"\n');
  expect(await readPromptHistory(path)).toEqual(["good", "with  control"]);
});

test("a failed write is reported and does not stop the next one", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "blocked", "history");
  await writeFile(join(folder, "blocked"), "a file where a folder should be");
  const file = new PromptHistoryFile(path);
  await expect(file.append("lost")).rejects.toThrow();
  await rm(join(folder, "blocked"));
  await file.append("kept");
  await file.settled();
  expect(await readFile(path, "utf8")).toBe('"kept"\n');
});
