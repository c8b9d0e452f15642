// Times with an offset are correct in every time zone.
import { afterEach, expect, test } from "vitest";
import { formatLocalTime } from "../../source/base/local-time.ts";

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
