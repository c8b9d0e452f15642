// Back-off before a replica that exited by itself is replaced.
import { expect, it } from "vitest";
import { backOffLeftMs, backOffMs } from "../../../source/cloud/control-plane/back-off.ts";

it.each([
  [1, 1000],
  [2, 2000],
  [3, 4000],
  [6, 32_000],
  [7, 60_000],
  [1000, 60_000],
])("after %i failures in a row: %i ms, plus or minus a fifth", (failures, plainMs) => {
  expect(backOffMs(failures, 0.5)).toBe(plainMs);
  expect(backOffMs(failures, 0)).toBe(plainMs * 0.8);
  expect(backOffMs(failures, 1)).toBe(plainMs * 1.2);
});

it("a wait ends at its time, or when the clock is put back", () => {
  const now = Date.UTC(2030, 0, 1);
  expect(backOffLeftMs(now + 72_000, now)).toBe(72_000);
  expect(backOffLeftMs(now, now)).toBe(0);
  expect(backOffLeftMs(0, now)).toBe(0);
  expect(backOffLeftMs(now + 1000, now - 3_600_000)).toBe(0);
});
