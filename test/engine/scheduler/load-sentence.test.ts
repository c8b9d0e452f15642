// What the log says before a model is loaded.
import { expect, it } from "vitest";
import { loadSentence } from "../../../source/engine/scheduler/load-sentence.ts";
import { readGgufFacts } from "../../../source/store/gguf/gguf-facts.ts";
import { tinyFile, tinySettings } from "../../support/load-tiny.ts";

const gib = 1024 ** 3;
const model = { facts: await readGgufFacts(tinyFile), sizeBytes: 20 * gib };
const settings = await tinySettings({ device: "auto" });
const say = (memoryBytes: number, cardBytes?: number, changes = {}) =>
  loadSentence(model, { ...settings, ...changes }, { memoryBytes, cardBytes }, 4);

it("of a model for which there is room on the card: it fits, however little memory there is", () => {
  expect(say(16 * gib, 24 * gib)).toBe("needs about 20 GiB: fits (24 GiB free on the card)");
});

it("of a model that is divided between card and memory: it fits", () => {
  expect(say(16 * gib, 8 * gib)).toBe("needs about 20 GiB: fits (8 GiB free on the card)");
});

it("of any other what the machine's memory makes of it", () => {
  expect(say(8 * gib, 8 * gib)).toMatch(/8 GiB free: weights are read .* \(8 GiB free on the/);
  expect(say(32 * gib)).toMatch(/32 GiB free: fits$/);
  expect(say(8 * gib, 24 * gib, { gpuLayers: 1 })).toContain("weights are read");
});

it("that there are fewer slots than were wanted", () => {
  expect(say(32 * gib, undefined, { slots: 1 })).toMatch(
    /: fits; room for 1 of 4 parallel requests$/,
  );
});

it("which tokens layers with a sliding window keep", () => {
  const slidingWindow = 512;
  expect(say(32 * gib, undefined, { slidingWindow })).toMatch(
    /: fits; layers with a sliding window keep 512 tokens/,
  );
  expect(say(32 * gib, undefined, { slidingWindow, keepsWholeWindow: true })).toContain(
    "layers with a sliding window of 512 tokens keep all",
  );
});
