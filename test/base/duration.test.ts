// Durations: seconds, Go's text form, and invalid texts.
import { expect, test } from "vitest";
import { parseDuration, parseTimeSpan } from "../../source/base/duration.ts";

const forGood = Number.POSITIVE_INFINITY;

test.each([
  [0, 0],
  [1.5, 1500],
  [300, 300_000],
  [-1, forGood],
  ["0", 0],
  ["300", 300_000],
  ["0.5", 500],
  ["+5", 5000],
  ["-1", forGood],
  ["-1s", forGood],
  ["10m", 600_000],
  ["1h30m", 5_400_000],
  ["1h30m10s500ms", 5_410_500],
  ["300ms", 300],
  ["1.5h", 5_400_000],
  [".5s", 500],
  ["2.s", 2000],
  ["100us", 0.1],
  ["100µs", 0.1],
  ["100μs", 0.1],
  ["1ns", 1e-6],
  ["0s", 0],
  [" 5m ", 300_000],
])("%j is %d milliseconds", (text, milliseconds) => {
  expect(parseDuration(text)).toBeCloseTo(milliseconds, 9);
});

test.each([
  "",
  " ",
  "-",
  "m",
  "5 m",
  "5minutes",
  "1d",
  "ten",
  "1h-30m",
  "1e3",
  "0x10",
  "5m x",
  Number.NaN,
  forGood,
])("%j is not a duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test.each([
  ["90s", 90_000],
  ["15m", 900_000],
  ["1h30m", 5_400_000],
  ["2d", 172_800_000],
  [" 1.5d ", 129_600_000],
  ["250ms", 250],
  ["100us", 0],
  [" 7 ", 7000],
  ["0", 0],
])("%j is a span of %d whole milliseconds", (text, milliseconds) => {
  expect(parseTimeSpan(text)).toBe(milliseconds);
});

test.each(["", "soon", "-1s", "-1d", "5 minutes", "1x", "s"])("%j is not a time span", (text) => {
  expect(parseTimeSpan(text)).toBeUndefined();
});
