// Formats of sizes, durations and times.
import { afterEach, describe, expect, test } from "vitest";
import {
  formatBytes,
  formatGoDuration,
  formatLocalTime,
  formatMemory,
  formatMilliseconds,
  formatRelativeTime,
  formatRoughDuration,
} from "../../source/base/formats.ts";

describe("sizes", () => {
  test.each([
    [0, "0 B"],
    [512, "512 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [4_700_000_000, "4.7 GB"],
    [2_000_000_000, "2 GB"],
    [13_000_000_000, "13 GB"],
    [986_000_000, "986 MB"],
    [1_933_632, "1.9 MB"],
    [5e15, "5000 TB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  test("are never a thousand of one unit", () => {
    for (const bytes of [999, 999.6, 999_499, 999_500, 999_999, 999_500_000, 999_999_999_999]) {
      expect(formatBytes(bytes)).not.toMatch(/^1000 /);
    }
  });
});

describe("sizes of memory", () => {
  test.each([
    [512, "512 B"],
    [1024, "1 KiB"],
    [32 * 2 ** 20, "32 MiB"],
    [23.5 * 2 ** 30, "24 GiB"],
    [1000 * 2 ** 20, "1 GiB"],
    [2 ** 41, "2 TiB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(formatMemory(bytes)).toBe(text);
  });
});

describe("durations", () => {
  test.each([
    [0, "0µs"],
    [0.0567, "56.7µs"],
    [56.7, "56.7ms"],
    [1234, "1.234s"],
    [60_000, "1m0s"],
    [125_500, "2m5.5s"],
  ])("%d ms are %s in Go's form", (milliseconds, text) => {
    expect(formatGoDuration(milliseconds)).toBe(text);
  });

  test.each([
    [0, "0 ms"],
    [182.4, "182 ms"],
    [1840, "1.84 s"],
    [125_000, "2 m 05 s"],
  ])("%d ms are %s", (milliseconds, text) => {
    expect(formatMilliseconds(milliseconds)).toBe(text);
  });

  test("are never a thousand milliseconds or sixty seconds", () => {
    for (const milliseconds of [999.4, 999.5, 999.99, 59_994, 59_995, 59_999.9]) {
      expect(formatMilliseconds(milliseconds)).not.toMatch(/^1000 ms$|^60\.00 s$/);
    }
  });
});

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

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test.each([
  ["UTC", "2026-01-02T03:04:05.678Z"],
  ["Asia/Kolkata", "2026-01-02T08:34:05.678+05:30"],
  ["America/New_York", "2026-01-01T22:04:05.678-05:00"],
])("in %s", (name, expected) => {
  process.env.TZ = name;
  const moment = new Date("2026-01-02T03:04:05.678Z");
  expect(formatLocalTime(moment)).toBe(expected);
  expect(Date.parse(expected)).toBe(moment.getTime());
});
