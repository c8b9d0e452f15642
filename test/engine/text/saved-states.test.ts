// What is kept of conversations beside the slots, and what is let go.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import type { AddonContext } from "../../../source/engine/text/addon.ts";
import { ImageTokens } from "../../../source/engine/text/image-tokens.ts";
import { MemoryFolder } from "../../../source/engine/text/memory-folder.ts";
import { SavedStates } from "../../../source/engine/text/saved-states.ts";
import { SequenceMemory } from "../../../source/engine/text/sequence-memory.ts";
import { Slot } from "../../../source/engine/text/slot.ts";

const bytesEach = 1000;
const all = new Set([0, 1]);
let folder: MemoryFolder | undefined;

afterEach(() => folder?.close());

function savedStates({ isRecurrent = false, budgetBytes = 10 * bytesEach, fails = "" } = {}) {
  folder = MemoryFolder.create(() => {});
  if (folder === undefined) throw new Error("no folder in memory");
  const files: string[] = [];
  const lines: string[] = [];
  const work = async (call: string, file: string) => {
    if (fails === call) throw new Error("no space left");
    files.push(file);
  };
  const context = {
    disposeSequence: () => {},
    saveSequenceStateToFile: async (file: string) => {
      await work("save", file);
      writeFileSync(file, Buffer.alloc(bytesEach));
      return bytesEach;
    },
    loadSequenceStateFromFile: async (file: string) => {
      await work("load", file);
      return new Uint32Array(0);
    },
  } as Partial<AddonContext> as AddonContext;
  const memory = new SequenceMemory(context, new ImageTokens(), { isRecurrent, slidingWindow: 0 });
  const log = (line: string) => lines.push(line);
  const saved = new SavedStates({ context, memory, folder, budgetBytes, windowTokens: 4096, log });
  const left = () => files.filter((file) => existsSync(file)).length;
  return { saved, lines, left, folderOf: () => path.dirname(files[0] ?? "") };
}

function slotWith(first: number, length: number, id = 0): Slot<object> {
  const slot = new Slot<object>(id);
  slot.tokens = Array.from({ length }, (_, index) => first + index);
  slot.promptLength = length;
  return slot;
}

const prompt = (first: number, length: number) => slotWith(first, length).tokens;

test("a conversation comes back whole, once", async () => {
  const { saved, left } = savedStates();
  await saved.save(slotWith(0, 300), "conversation", 0);
  const match = saved.find(prompt(0, 400), all);
  expect(match?.length).toBe(300);
  if (match === undefined) return;
  saved.reserve(match);
  const slot = slotWith(5000, 10, 1);
  await saved.load(match, slot);
  expect(slot.tokens).toEqual(prompt(0, 300));
  expect(saved.find(prompt(0, 400), all)).toBeUndefined();
  expect(left()).toBe(0);
});

test("a beginning serves again and again", async () => {
  const { saved } = savedStates({ isRecurrent: true });
  await saved.save(slotWith(0, 300), "beginning", 300);
  for (let time = 0; time < 2; time += 1) {
    const match = saved.find(prompt(0, 400), all);
    expect(match?.length).toBe(300);
    if (match === undefined) return;
    saved.reserve(match);
    await saved.load(match, slotWith(0, 0, 1));
  }
});

test("recurrent memory serves from its end or a checkpoint alone, and that in its own slot", async () => {
  const { saved } = savedStates({ isRecurrent: true });
  const slot = slotWith(0, 300);
  const state = { init: async () => {}, dispose: () => {}, size: 10 };
  slot.checkpoints = [100, 296].map((length) => ({ length, state, lastUsed: 0 }));
  await saved.save(slot, "conversation", 100);
  expect(slot.checkpoints.map(({ length }) => length)).toEqual([100]);
  expect(saved.find(prompt(0, 299), all)).toMatchObject({ length: 296, slotId: 0 });
  expect(saved.find(prompt(0, 299), new Set([1]))).toBeUndefined();
  expect(saved.find(prompt(0, 200), all)).toBeUndefined();
});

test("what was not used for longest goes when the budget is full", async () => {
  const { saved, left } = savedStates({ budgetBytes: 2 * bytesEach });
  for (const first of [0, 1000, 2000]) await saved.save(slotWith(first, 300), "conversation", 0);
  expect(left()).toBe(2);
  expect(saved.find(prompt(0, 400), all)?.length ?? 0).toBe(0);
  expect(saved.find(prompt(2000, 400), all)?.length).toBe(300);
});

test("what cannot be saved is told and forgotten", async () => {
  const { saved, lines } = savedStates({ fails: "save" });
  await saved.save(slotWith(0, 300), "conversation", 0);
  expect(lines).toEqual(["a conversation could not be saved: no space left"]);
  expect(saved.find(prompt(0, 400), all)).toBeUndefined();
});

test("what cannot be loaded is removed", async () => {
  const { saved, left, folderOf } = savedStates({ fails: "load" });
  await saved.save(slotWith(0, 300), "conversation", 0);
  const match = saved.find(prompt(0, 400), all);
  if (match === undefined) throw new Error("it was not kept");
  saved.reserve(match);
  await expect(saved.load(match, slotWith(0, 0, 1))).rejects.toThrow("no space left");
  expect(left()).toBe(0);
  expect(readdirSync(folderOf())).toEqual([]);
});
