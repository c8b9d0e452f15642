// Short, deterministic part of `npm run fuzz`.
import { expect, test } from "vitest";
import { play } from "./play.ts";
import { targets } from "./targets.ts";

/** Excludes follows, scripts, loads and kills, whose rounds take too long. */
const rounds: Readonly<Record<string, number>> = {
  ...{
    settings: 30,
    modelfiles: 200,
    headers: 500,
    models: 50,
    archives: 15,
    images: 40,
    schemas: 50,
  },
  ...{ templates: 15, gateway: 10, queue: 5, requests: 3, sockets: 4, keys: 4, disconnects: 4 },
};

test.each(Object.entries(rounds))(
  "%s: hostile input is refused or accepted",
  async (name, rounds) => {
    const target = targets.find((each) => each.name === name);
    if (target === undefined) throw new Error(`there is no target ${name}`);
    const { failures } = await play(target, { seed: "1", rounds });
    expect(failures).toEqual([]);
  },
);

test("an endless round is a failure", async () => {
  const round = () => new Promise<never>(() => {});
  const target = { name: "endless", rounds: 1, begin: async () => ({ round }) };
  const { failures } = await play(target, { seed: "1", rounds: 1, hangMs: 100 });
  expect(failures).toMatchObject([{ round: 0, reason: expect.stringContaining("it hangs") }]);
});

test("a leak is a failure, except what closes soon after the last round", async () => {
  const target = (later: number) => {
    const handles = [0, 100];
    const size = async () => ({ handles: handles.shift() ?? later, bytes: 0 });
    return { name: "growing", rounds: 101, begin: async () => ({ round: async () => {}, size }) };
  };
  const options = { seed: "1", rounds: 101, settleMs: 300 };
  expect((await play(target(0), options)).failures).toEqual([]);
  const { failures } = await play(target(38), options);
  expect(failures).toMatchObject([{ reason: expect.stringContaining("38 more handles") }]);
});
