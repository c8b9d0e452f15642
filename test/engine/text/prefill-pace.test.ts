// How many prompt tokens a step reads.
import { expect, test } from "vitest";
import { PrefillPace } from "../../../source/engine/text/prefill-pace.ts";

test("begins small, before anything is known of the machine", () => {
  expect(new PrefillPace(undefined, 512).chunk(true)).toBe(64);
});

test("reads long chunks on a fast machine, up to what fits into a step", () => {
  const pace = new PrefillPace(undefined, 512);
  pace.note(64, 6.4);
  expect(pace.chunk(true)).toBe(512);
  expect(pace.chunk(false)).toBe(512);
});

test("keeps steps short while others write answers", () => {
  const pace = new PrefillPace(undefined, 512);
  pace.note(64, 32);
  expect(pace.chunk(true)).toBe(256);
  expect(pace.chunk(false)).toBe(64);
});

test("never reads less than a small chunk on a slow machine", () => {
  const pace = new PrefillPace(undefined, 512);
  pace.note(64, 6400);
  expect(pace.chunk(true)).toBe(64);
});

test("is not misled by the few tokens at a prompt's end", () => {
  const pace = new PrefillPace(undefined, 512);
  pace.note(64, 6.4);
  pace.note(1, 50);
  expect(pace.chunk(true)).toBe(512);
});

test("keeps to a chunk that was asked for, and to the room in a step", () => {
  const pace = new PrefillPace(16, 512);
  pace.note(64, 1);
  expect(pace.chunk(true)).toBe(16);
  expect(new PrefillPace(512, 128).chunk(true)).toBe(128);
  expect(new PrefillPace(undefined, 32).chunk(true)).toBe(32);
});
