// Tests the completions of a typed word, and that Enter never inserts one by surprise.
// Uses a few commands and models, and a folder under git.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  commandMenu,
  isComplete,
  moveMenu,
  openMenu,
  takeItem,
} from "../../../../../source/ui/screens/chat/composer/menu.ts";

const commands = [
  { name: "/clear", title: "Forget the messages" },
  { name: "/system", title: "Set the system prompt" },
  { name: "/set think", title: "Let the model think" },
  { name: "/set system", title: "Set the system prompt" },
];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "chat-menu-"));
  execFileSync("git", ["init", "-q"], { cwd: folder });
  mkdirSync(path.join(folder, "docs"));
  for (const name of ["notes.txt", "docs/notes.md", "secret.log"]) {
    writeFileSync(path.join(folder, name), "text");
  }
  writeFileSync(path.join(folder, ".gitignore"), "*.log\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const typed = (text: string) => ({ text, cursor: text.length });
const models = async () => [
  { name: "tiny", sizeText: "2 MB" },
  { name: "large", sizeText: "20 GB" },
];
const opened = async (text: string) =>
  (await openMenu(typed(text), { models }, folder, async () => []))?.items.map(
    ({ value }) => value,
  );

test.each([
  // A command with two names has one line.
  ["/", ["/clear", "/system", "/set think"]],
  ["/set s", ["/set system"]],
  ["/tmp/cat.png", undefined],
  ["hello /", undefined],
])("%j offers the commands %j", (text, names) => {
  expect(commandMenu(typed(text), commands)?.items.map(({ value }) => value)).toEqual(names);
});

test.each([
  ["/model ", ["tiny", "large"]],
  ["/model LA", ["large"]],
  ["see @note", ["docs/notes.md", "notes.txt"]],
  ["see @docs/n", ["docs/notes.md"]],
  ["see @secret", ["secret.log"]],
  ["mail bob@note", undefined],
  ["@docmd", ["docs/notes.md"]],
  ["@nobody", undefined],
])("%j offers %j", async (text, names) => {
  expect(await opened(text)).toEqual(names);
});

test("an accepted item replaces the word, and the text continues after it", async () => {
  const text = { text: "see @note please", cursor: "see @note".length };
  const menu = await openMenu(text, { models }, folder, async () => []);
  if (menu === undefined) throw new Error("There is no menu.");
  expect(isComplete(text, menu)).toBe(false);
  const taken = takeItem(text, moveMenu(moveMenu(menu, 1), 1));
  expect(taken).toEqual({ text: "see @notes.txt please", cursor: "see @notes.txt ".length });
});

test("Enter leaves a guess from scattered letters until it is chosen", async () => {
  const menu = await openMenu(typed("@docmd"), { models }, folder, async () => []);
  if (menu === undefined) throw new Error("There is no menu.");
  expect(isComplete(typed("@docmd"), menu)).toBe(true);
  expect(isComplete(typed("@docmd"), moveMenu(menu, 1))).toBe(false);
});

test("a command is complete when Enter would run it", () => {
  const menu = commandMenu(typed("/clear"), commands);
  expect(menu && isComplete(typed("/clear"), menu)).toBe(true);
});
