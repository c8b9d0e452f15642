// Tests that a burst of changes is one frame, and that typing does not wait for an answer.
// Uses a fake clock.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Pace } from "../../../source/ui/hooks/pace.ts";

let pace: Pace;
let frames: number;
const listener = () => {
  frames += 1;
};
const change = () => pace.tell(listener);

beforeEach(() => {
  vi.useFakeTimers();
  pace = new Pace();
  frames = 0;
  // A first frame has been drawn.
  change();
  vi.advanceTimersByTime(1);
  expect(frames).toBe(1);
});

afterEach(() => vi.useRealTimers());

test("changes at the same time are drawn together", () => {
  for (let count = 0; count < 100; count += 1) change();
  vi.advanceTimersByTime(200);
  expect(frames).toBe(2);
});

test("an answer is drawn at most twenty times a second", () => {
  for (let elapsed = 0; elapsed < 1000; elapsed += 10) {
    change();
    vi.advanceTimersByTime(10);
  }
  expect(frames).toBeGreaterThanOrEqual(18);
  expect(frames).toBeLessThanOrEqual(21);
});

test("frames of a slow machine leave most of the processor to others, but keep coming", () => {
  const framesAtCost = (costMs: number) => {
    let usedMs = 0;
    const slow = new Pace(() => usedMs);
    let drawn = 0;
    const draw = () => {
      usedMs += costMs;
      slow.drawn();
      drawn += 1;
    };
    for (let elapsed = 0; elapsed < 10_000; elapsed += 10) {
      slow.tell(draw);
      vi.advanceTimersByTime(10);
    }
    return drawn;
  };
  expect(framesAtCost(5)).toBeGreaterThanOrEqual(180);
  expect(framesAtCost(25) * 25).toBeLessThan(3000);
  expect(framesAtCost(1000)).toBeGreaterThanOrEqual(60);
});

test("a key press is drawn early, even while another frame is due", () => {
  vi.advanceTimersByTime(1);
  change();
  vi.advanceTimersByTime(5);
  pace.hurry();
  change();
  vi.advanceTimersByTime(11);
  expect(frames).toBe(2);
  vi.advanceTimersByTime(200);
  expect(frames).toBe(2);
});

test("a change after a pause is drawn at once", () => {
  vi.advanceTimersByTime(1000);
  change();
  vi.advanceTimersByTime(1);
  expect(frames).toBe(2);
});

test("a removed listener is not called", () => {
  change();
  pace.drop(listener);
  vi.advanceTimersByTime(200);
  expect(frames).toBe(1);
});
