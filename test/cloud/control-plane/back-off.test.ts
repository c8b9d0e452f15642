// How long a replica that ends by itself is waited with.
import { expect, it } from "vitest";
import { backOffMs } from "../../../source/cloud/control-plane/back-off.ts";

it.each([
  [1, 1000],
  [2, 2000],
  [3, 4000],
  [6, 32_000],
  [7, 60_000],
  [1000, 60_000],
])("after %i failures in a row: %i ms, a fifth more or less", (failures, plainMs) => {
  expect(backOffMs(failures, 0.5)).toBe(plainMs);
  expect(backOffMs(failures, 0)).toBe(plainMs * 0.8);
  expect(backOffMs(failures, 1)).toBe(plainMs * 1.2);
});
