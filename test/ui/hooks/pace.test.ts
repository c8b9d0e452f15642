// Goal: a burst of changes is one frame, and what a person types does not wait for an answer.
// Method: a clock that the test moves.

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

test("changes that come together are drawn together", () => {
  for (let count = 0; count < 100; count += 1) change();
  vi.advanceTimersByTime(200);
  expect(frames).toBe(2);
});

test("an answer is drawn twenty times a second at most", () => {
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

test("a key is drawn soon, also when a frame of something else is waited for", () => {
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

test("where it was quiet a change is drawn at once", () => {
  vi.advanceTimersByTime(1000);
  change();
  vi.advanceTimersByTime(1);
  expect(frames).toBe(2);
});

test("a listener that has gone hears nothing any more", () => {
  change();
  pace.drop(listener);
  vi.advanceTimersByTime(200);
  expect(frames).toBe(1);
});
