// Tools in the model's own template, with raw answers compared.
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadTiny, type Tiny } from "../support/load-tiny.ts";
import { toolPairs } from "../support/pairs.ts";

let tiny: Tiny;
beforeAll(async () => {
  tiny = await loadTiny();
});
afterAll(async () => {
  await tiny.runner.stop();
});

it("has the tool rows of the table", () => {
  expect(toolPairs).toHaveLength(4);
});

it.each(toolPairs)("answers $turns with tools listed as the table says", async (pair) => {
  expect((await tiny.askPair(pair)).text).toBe(pair.expect);
});
