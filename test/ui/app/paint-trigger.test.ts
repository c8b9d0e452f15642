// Goal: a burst of changes is one picture, and what a person types does not wait for an answer.
// Method: a clock that the test moves.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PaintTrigger } from "../../../source/ui/app/paint-trigger.ts";

let change: () => void;
let trigger: PaintTrigger;
let pictures: number;

beforeEach(() => {
  vi.useFakeTimers();
  trigger = new PaintTrigger((listener) => {
    change = listener;
    return () => {};
  });
  pictures = 0;
  trigger.subscribe(() => {
    pictures += 1;
  });
  // A first picture has been painted.
  change();
  vi.advanceTimersByTime(1);
  expect(pictures).toBe(1);
});

afterEach(() => vi.useRealTimers());

test("changes that come together are painted together", () => {
  for (let count = 0; count < 100; count += 1) change();
  vi.advanceTimersByTime(200);
  expect(pictures).toBe(2);
  expect(trigger.count()).toBe(2);
});

test("an answer is painted twenty times a second at most", () => {
  for (let elapsed = 0; elapsed < 1000; elapsed += 10) {
    change();
    vi.advanceTimersByTime(10);
  }
  expect(pictures).toBeGreaterThanOrEqual(18);
  expect(pictures).toBeLessThanOrEqual(21);
});

test("a key is painted soon, also when a picture of something else is waited for", () => {
  vi.advanceTimersByTime(1);
  change();
  vi.advanceTimersByTime(5);
  trigger.hurry();
  change();
  vi.advanceTimersByTime(11);
  expect(pictures).toBe(2);
  vi.advanceTimersByTime(200);
  expect(pictures).toBe(2);
});

test("where it was quiet a change is painted at once", () => {
  vi.advanceTimersByTime(1000);
  change();
  vi.advanceTimersByTime(1);
  expect(pictures).toBe(2);
});
