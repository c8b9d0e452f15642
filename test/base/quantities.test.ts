// Tests numbers with their units, times and plurals.

import { expect, test } from "vitest";
import {
  percentage,
  plural,
  rate,
  roughSpan,
  span,
  tokenCount,
  usedOfTotal,
} from "../../source/base/quantities.ts";

test.each([
  [usedOfTotal(6.9 * 2 ** 30, 12 * 2 ** 30), "6.9/12.0 GiB"],
  [usedOfTotal(0, 512), "0/512 B"],
  [usedOfTotal(300 * 2 ** 20, 0), "300.0/0.0 MiB"],
  [tokenCount(526), "526"],
  [tokenCount(4800), "4800"],
  [tokenCount(32_768), "32k"],
  [tokenCount(1_048_576), "1M"],
  [rate(0), "0.0"],
  [rate(61.23), "61.2"],
  [rate(1204.4), "1204"],
  [percentage(0.618), "62%"],
  [span(-5), "0 s"],
  [span(45_000), "45 s"],
  [span(252_000), "4 m 12 s"],
  [span(8_040_000), "2 h 14 m"],
  [roughSpan(12_900), "12 s"],
  [roughSpan(60_000), "1 min"],
  [roughSpan(47 * 3_600_000), "47 h"],
  [roughSpan(72 * 3_600_000), "3 d"],
  [roughSpan(3 * 365 * 86_400_000), "3 y"],
  [plural(1, "request"), "1 request"],
  [plural(0, "new line"), "0 new lines"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});
