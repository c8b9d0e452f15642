// Number of prompt tokens that a step reads.
import { expect, test } from "vitest";
import { PrefillPace } from "../../../source/engine/text/prefill-pace.ts";

test("starts small, before anything is measured", () => {
  expect(new PrefillPace(undefined, 512).chunk(true).wanted).toBe(64);
});

test("reads long chunks on a fast machine, up to what fits into a step", () => {
  const pace = new PrefillPace(undefined, 512);
  pace.note(64, 6.4);
  expect(pace.chunk(true).wanted).toBe(512);
  expect(pace.chunk(false).wanted).toBe(512);
});

test("keeps steps short while others write answers", () => {
  const pace = new PrefillPace(undefined, 512);
  pace.note(64, 32);
  expect(pace.chunk(true).wanted).toBe(256);
  expect(pace.chunk(false).wanted).toBe(64);
});

test("never reads less than a small chunk on a slow machine", () => {
  const pace = new PrefillPace(undefined, 512);
  pace.note(64, 6400);
  expect(pace.chunk(true).wanted).toBe(64);
});

test("is not misled by the few tokens at a prompt's end", () => {
  const pace = new PrefillPace(undefined, 512);
  pace.note(64, 6.4);
  pace.note(1, 50);
  expect(pace.chunk(true).wanted).toBe(512);
});

test("uses a configured chunk, within the size of a step", () => {
  const pace = new PrefillPace(16, 512);
  pace.note(64, 1);
  expect(pace.chunk(true).wanted).toBe(16);
  expect(new PrefillPace(512, 128).chunk(true).wanted).toBe(128);
  expect(new PrefillPace(undefined, 32).chunk(true).wanted).toBe(32);
});

test("lets a step grow by half for a prompt's end, within the configured chunk and the size of a step", () => {
  expect(new PrefillPace(undefined, 512).chunk(false)).toEqual({ wanted: 64, most: 96 });
  expect(new PrefillPace(undefined, 80).chunk(false)).toEqual({ wanted: 64, most: 80 });
  expect(new PrefillPace(64, 512).chunk(false)).toEqual({ wanted: 64, most: 64 });
});

test("reads several whole prompts in one step when nothing else waits for it", () => {
  const pace = new PrefillPace(undefined, 512);
  pace.note(64, 256);
  expect(pace.chunk(true)).toEqual({ wanted: 64, most: 200 });
  expect(pace.chunk(false)).toEqual({ wanted: 64, most: 96 });
});

test("waits for simultaneous prompts, but only briefly", () => {
  const pace = new PrefillPace(undefined, 512);
  expect(pace.gatherMs(400)).toBe(0);
  pace.note(64, 256);
  expect(pace.gatherMs(40)).toBeCloseTo(2.4);
  expect(pace.gatherMs(4000)).toBe(5);
});
