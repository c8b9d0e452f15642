// Tools in the model's own template, with raw answers compared.
import { beforeAll, expect, it } from "vitest";
import { sharedTiny, type Tiny } from "../support/load-tiny.ts";
import { toolPairs } from "../support/pairs.ts";

let tiny: Tiny;
beforeAll(async () => {
  tiny = await sharedTiny();
});

it("has the tool rows of the table", () => {
  expect(toolPairs).toHaveLength(4);
});

it.each(toolPairs)("answers $turns with tools listed as the table says", async (pair) => {
  expect((await tiny.askPair(pair)).text).toBe(pair.expect);
});
