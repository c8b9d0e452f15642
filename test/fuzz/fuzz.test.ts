// A short part of `npm run fuzz`, the same in every run.
import { expect, test } from "vitest";
import { play } from "./play.ts";
import { targets } from "./targets.ts";

/** Of scripts, loads and kills a few rounds would take as long as all of these. */
const rounds: Readonly<Record<string, number>> = {
  ...{ settings: 30, modelfiles: 200, models: 50, archives: 15, images: 40, schemas: 50 },
  ...{ templates: 15, gateway: 10, requests: 6, sockets: 4 },
};

/** The suite keeps every core busy. */
const hangMs = 45_000;

test.each(Object.entries(rounds))("%s: hostile input is refused or taken", async (name, rounds) => {
  const target = targets.find((each) => each.name === name);
  if (target === undefined) throw new Error(`there is no target ${name}`);
  const { failures } = await play(target, { seed: "1", rounds, hangMs });
  expect(failures).toEqual([]);
});
