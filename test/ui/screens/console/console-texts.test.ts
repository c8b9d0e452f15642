// Tests names, ages and last uses.

import { expect, test } from "vitest";
import {
  lastUse,
  shortAge,
  shownName,
} from "../../../../source/ui/screens/console/console-texts.ts";
import { sampleApp, sampleKey } from "./sample-cloud.ts";

test("names, ages and last uses are short", () => {
  expect(shownName(sampleApp(), "local")).toBe("tiny");
  expect(shownName(sampleApp(), "acme")).toBe("local/tiny");
  const ages = [0, 59, 60, 3600, 47 * 3600, 48 * 3600].map((seconds) => shortAge(seconds * 1000));
  expect(ages).toEqual(["0s", "59s", "1m", "1h", "47h", "2d"]);
  const key = sampleKey({ createdAt: 60_000, lastUsedAt: 0 });
  expect(lastUse(key, 120_000)).toBe("1m");
  expect(lastUse(sampleKey(), 0)).toBe("never");
});
