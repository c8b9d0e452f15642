// Folder of stored prompts: limited in size and age, without broken files.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { completePromptFile } from "../../../source/engine/text/prompt-file.ts";
import { PromptFolder } from "../../../source/engine/text/prompt-folder.ts";

let home: string;
let folder: PromptFolder;
let lines: string[];
const { signal } = new AbortController();

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "modelctl-prompt-folder-"));
  folder = new PromptFolder(path.join(home, "new", "prompts"));
  lines = [];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function add(prefix: string, first: number, hoursUnused = 0): Promise<string> {
  const { unfinished, handle } = await folder.create();
  await handle.write("the state");
  const tokens = [first, first + 1];
  const description = { model: "m", isCuttable: true, readMsPerToken: 1, createdAt: 0, tokens };
  await completePromptFile(handle, undefined, description, signal);
  await handle.close();
  const file = await folder.publish(unfinished, prefix, tokens);
  const used = new Date(Date.now() - hoursUnused * 3_600_000);
  utimesSync(file, used, used);
  return file;
}

const read = (prefix = "") => folder.read(prefix, new Map(), (line) => lines.push(line));
const unbounded = { budgetBytes: 2 ** 30, maxAgeMs: undefined };

test("files are private to their owner, and found by prefix", async () => {
  expect(await read()).toEqual([]);
  const file = await add("one-", 1);
  await add("other-", 5);
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await read("one-")).map(({ path }) => path)).toEqual([file]);
  expect(await read()).toHaveLength(2);
});

test("unusable files are logged and removed, links without their targets", async () => {
  await add("one-", 1);
  const target = path.join(home, "mine");
  writeFileSync(target, "precious");
  writeFileSync(path.join(folder.path, "one-broken.prompt"), "no prompt at all, by its ending");
  symlinkSync(target, path.join(folder.path, "one-link.prompt"));
  mkdirSync(path.join(folder.path, "one-folder.prompt"));
  expect(await read()).toHaveLength(1);
  expect(lines.sort()).toEqual([
    "the stored prompt one-broken.prompt is cut off and was removed",
    "the stored prompt one-folder.prompt is not a file and was removed",
    "the stored prompt one-link.prompt is a link and was removed",
  ]);
  expect(readdirSync(folder.path)).toHaveLength(1);
  expect(existsSync(target)).toBe(true);
});

test("files that are too old are removed", async () => {
  const fresh = await add("a-", 1, 5);
  await add("a-", 5, 30);
  await folder.tidy({ ...unbounded, maxAgeMs: 24 * 3_600_000 });
  expect(await folder.paths()).toEqual([fresh]);
});

test("the least recently used files are removed when the budget is exceeded", async () => {
  const second = await add("a-", 1, 2);
  await add("a-", 5, 3);
  const first = await add("b-", 9, 1);
  const { size } = statSync(first);
  await folder.tidy({ ...unbounded, budgetBytes: 2 * size });
  expect((await folder.paths()).sort()).toEqual([first, second].sort());
  await folder.tidy({ ...unbounded, budgetBytes: 0 });
  expect(await folder.paths()).toEqual([]);
});

test("unfinished files of killed processes are removed, and files being written stay", async () => {
  const [left, written] = [await folder.create(), await folder.create()];
  await Promise.all([left.handle.close(), written.handle.close()]);
  const longAgo = new Date("2020-01-01");
  utimesSync(left.unfinished, longAgo, longAgo);
  await folder.tidy(unbounded);
  expect(existsSync(left.unfinished)).toBe(false);
  expect(existsSync(written.unfinished)).toBe(true);
});
