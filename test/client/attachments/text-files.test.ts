// Goal: text files after an at sign are sent to the model, and nothing else is.
// Method: prompts and files in a separate folder.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import {
  mayAttachTexts,
  readTextFiles,
  withTexts,
} from "../../../source/client/attachments/text-files.ts";
import { temporaryFolder } from "../../support/model-store.ts";

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
  await mkdir(path.join(folder, "docs"));
  await writeFile(path.join(folder, "notes.txt"), "Buy milk.\n");
  await writeFile(path.join(folder, "my notes.md"), "```\ncode\n```\n");
  await writeFile(path.join(folder, "data.bin"), Buffer.from([0xff, 0xfe, 0x00]));
  await writeFile(path.join(folder, "large.log"), "x".repeat(300 * 1024));
});

test.each([
  ["Summarise @notes.txt", ["notes.txt"], []],
  ["What is in @notes.txt?", ["notes.txt"], []],
  ['@"my notes.md" and @my\\ notes.md', ["my notes.md", "my\\ notes.md"], []],
  ["@notes.txt twice @notes.txt", ["notes.txt"], []],
  ["See @gone.md", [], ["gone.md"]],
  ["Ask @bob, or bob@notes.txt", [], []],
  ["Look at @cat.png", [], []],
])("%j attaches %j and misses %j", async (prompt, names, missing) => {
  const found = await readTextFiles(prompt, folder);
  expect(found.files.map(({ name }) => name.replace(/[?]$/, ""))).toEqual(names);
  expect(found.missing).toEqual(missing);
});

test.each([
  ["@data.bin", "data.bin is neither text nor an image."],
  ["@docs", "docs is a folder."],
  ["@large.log", "large.log is too large: the limit for attached text is 256 KiB"],
])("%j is refused in one sentence", async (prompt, sentence) => {
  await expect(readTextFiles(prompt, folder)).rejects.toThrow(sentence);
});

test("the text is put below the prompt, in its own fence", async () => {
  const prompt = 'Explain @"my notes.md"';
  const { files } = await readTextFiles(prompt, folder);
  expect(withTexts(prompt, files)).toBe(
    `${prompt}\n\nmy notes.md:\n\`\`\`\`\n\`\`\`\ncode\n\`\`\`\n\`\`\`\``,
  );
});

test("a prompt without @ reads no file", () => {
  expect(mayAttachTexts("notes.txt and bob@example.org")).toBe(false);
  expect(mayAttachTexts("@notes.txt")).toBe(true);
});
