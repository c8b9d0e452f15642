// Files of stored prompts: whole they are read as they were written, and whatever happened to them is noticed.
import {
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  BrokenPromptFile,
  checkPromptState,
  completePromptFile,
  readPromptFile,
} from "../../../source/engine/text/prompt-file.ts";

const state = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 251));
const tokens = [1, 2, 70_000, 4];
const description = { model: "m:latest", isCuttable: true, readMsPerToken: 0.5, createdAt: 1234 };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-prompt-file-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function written(source?: string): Promise<string> {
  const file = path.join(folder, "a.prompt");
  writeFileSync(file, source === undefined ? state : "");
  const handle = await open(file, "r+");
  const { signal } = new AbortController();
  await completePromptFile(handle, source, { ...description, tokens }, signal);
  await handle.close();
  return file;
}

async function readWhole(file: string): Promise<void> {
  await checkPromptState(await readPromptFile(file));
}

test("what was written is read, and llama.cpp's part begins the file", async () => {
  const file = await written();
  const read = await readPromptFile(file);
  expect(read).toMatchObject({ ...description, path: file, bytes: readFileSync(file).length });
  expect(read.tokens).toEqual(tokens);
  expect(readFileSync(file).subarray(0, state.length)).toEqual(state);
  await checkPromptState(read);
});

test("the state is copied from another file", async () => {
  const source = path.join(folder, "source");
  writeFileSync(source, state);
  const file = await written(source);
  await readWhole(file);
  expect(readFileSync(file).subarray(0, state.length)).toEqual(state);
});

test("writing ends when it is broken off", async () => {
  const file = path.join(folder, "a.prompt");
  writeFileSync(file, state);
  const handle = await open(file, "r+");
  const signal = AbortSignal.abort(new Error("a request came"));
  await expect(
    completePromptFile(handle, undefined, { ...description, tokens }, signal),
  ).rejects.toThrow("a request came");
  await handle.close();
});

describe("a file that is not what was written", () => {
  test("is noticed wherever a bit is flipped", async () => {
    const file = await written();
    const whole = readFileSync(file);
    const places = [0, 2500, state.length - 1];
    for (let at = state.length; at < whole.length; at += 1) places.push(at);
    for (const at of places) {
      const broken = Buffer.from(whole);
      broken[at] = (whole[at] ?? 0) ^ 4;
      writeFileSync(file, broken);
      await expect(readWhole(file), `byte ${at}`).rejects.toThrow(BrokenPromptFile);
    }
  });

  test("is noticed wherever it is cut off", async () => {
    const file = await written();
    const whole = readFileSync(file);
    for (const length of [0, 10, 2500, state.length, state.length + 3, whole.length - 1]) {
      writeFileSync(file, whole);
      truncateSync(file, length);
      await expect(readWhole(file), `${length} bytes`).rejects.toThrow(BrokenPromptFile);
    }
  });

  test("is not followed where it is a link", async () => {
    const file = await written();
    const link = path.join(folder, "b.prompt");
    symlinkSync(file, link);
    await expect(readPromptFile(link)).rejects.toThrow("is a link");
  });

  test("is a folder", async () => {
    await expect(readPromptFile(folder)).rejects.toThrow("is not a file");
  });
});
