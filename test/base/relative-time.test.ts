// Relative times, past and future.
import { describe, expect, test } from "vitest";
import { formatRelativeTime, formatRoughDuration } from "../../source/base/relative-time.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

describe("a duration", () => {
  test.each([
    [0, "Less than a second"],
    [999, "Less than a second"],
    [second, "1 second"],
    [1999, "1 second"],
    [2 * second, "2 seconds"],
    [59_999, "59 seconds"],
    [minute, "About a minute"],
    [2 * minute - 1, "About a minute"],
    [2 * minute, "2 minutes"],
    [hour - 1, "59 minutes"],
    [hour, "About an hour"],
    [1.5 * hour - 1, "About an hour"],
    [1.5 * hour, "2 hours"],
    [47 * hour, "47 hours"],
    [48 * hour, "2 days"],
    [14 * day - hour, "13 days"],
    [14 * day, "2 weeks"],
    [21 * day, "3 weeks"],
    [60 * day - hour, "8 weeks"],
    [60 * day, "2 months"],
    [2 * year - hour, "24 months"],
    [2 * year - 1, "2 years"],
    [2 * year, "2 years"],
    [19.9 * year, "19 years"],
    [-3 * minute, "3 minutes"],
  ])("of %d ms is %s", (milliseconds, text) => {
    expect(formatRoughDuration(milliseconds)).toBe(text);
  });
});

describe("a time", () => {
  const now = Date.UTC(2026, 0, 31);
  test.each([
    [now - 21 * day, "3 weeks ago"],
    [now + 4 * minute, "4 minutes from now"],
    [now, "Less than a second ago"],
    [now + 1, "Less than a second from now"],
    [now + 20 * year, "20 years from now"],
    [now + 20 * year + 1, "Forever"],
    [Number.POSITIVE_INFINITY, "Forever"],
    [0, "56 years ago"],
  ])("%d is %s", (time, text) => {
    expect(formatRelativeTime(time, now)).toBe(text);
  });
});
