// The formula of expected speeds over fixed figures, and what answers teach it.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { expectedSpeed, middleOf } from "../../../source/application/speed/expected-speed.ts";
import { SpeedRecords } from "../../../source/application/speed/speed-records.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const gigabyte = 1e9;

test("a token reads all active weights at the share of the bandwidth that answers reach", () => {
  const weights = { activeBytes: 5 * gigabyte, layers: 30 };
  const range = expectedSpeed(weights, { bytesPerSecond: 50 * gigabyte, factor: 0.8 }, "cpu");
  // 125 ms for the weights, and 0.15 ms for each layer.
  expect(middleOf(range)).toBeCloseTo(1 / 0.1295);
  expect([range.low, range.high].map((speed) => Number(speed.toFixed(1)))).toEqual([5.8, 9.7]);
  // Wider until this machine has given an answer.
  const guess = expectedSpeed(weights, { bytesPerSecond: 50 * gigabyte }, "cpu");
  expect(guess.high / guess.low).toBeGreaterThan(range.high / range.low);
});

const answer = {
  digest: "a",
  weights: { activeBytes: gigabyte, layers: 20 },
  device: "cpu",
  tokensPerSecond: 30,
  isPlain: true,
} as const;

async function measured(folder: string): Promise<SpeedRecords> {
  const records = await SpeedRecords.open(folder);
  await records.ensureMeasured(async () => 50 * gigabyte);
  return records;
}

test("one answer teaches the speed of all models, and replaces its own model's range", async () => {
  const folder = temporaryFolder();
  await (await measured(folder)).learn(answer);
  // Another process reads it from the file.
  const records = await SpeedRecords.open(folder);
  expect(records.speedOf(answer, "cpu").measured).toBe(30);
  const other = records.speedOf(
    { digest: "b", weights: { activeBytes: 2 * gigabyte, layers: 20 } },
    "cpu",
  );
  expect(other.measured).toBeUndefined();
  // 3 of 33.3 ms belong to the layers; twice the weights take twice the rest.
  expect(other.expected && middleOf(other.expected)).toBeCloseTo(1 / 0.0637, 1);
});

test("guessed tokens and models in the processor's cache teach nothing of other models", async () => {
  const records = await measured(temporaryFolder());
  await records.learn({ ...answer, isPlain: false });
  await records.learn({
    ...answer,
    weights: { activeBytes: 2e6, layers: 4 },
    tokensPerSecond: 900,
  });
  await records.learn({ ...answer, device: undefined });
  expect(records.device("cpu")?.factor).toBeUndefined();
});

test("a card's first answer measures the card", async () => {
  const records = await measured(temporaryFolder());
  expect(records.speedOf(answer, "gpu")).toEqual({});
  await records.learn({ ...answer, device: "gpu", tokensPerSecond: 400 });
  const other = records.speedOf(
    { digest: "b", weights: { activeBytes: 4 * gigabyte, layers: 20 } },
    "gpu",
  );
  expect(other.expected && Math.round(middleOf(other.expected))).toBe(122);
});

test("memory is measured once, also by other processes; a failure leaves it unknown", async () => {
  const folder = temporaryFolder();
  const records = await SpeedRecords.open(folder);
  await records.ensureMeasured(async () => {
    throw new Error("no threads");
  });
  expect(records.speedOf(answer, "cpu")).toEqual({});
  await records.ensureMeasured(async () => gigabyte);
  const other = await SpeedRecords.open(folder);
  await other.ensureMeasured(async () => 9 * gigabyte);
  expect(other.device("cpu")?.bytesPerSecond).toBe(gigabyte);
});

test("a damaged file counts as missing", async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "speed.json"), '{"version":1,"devices":{"cpu":{"bytes":-1}}}');
  const records = await SpeedRecords.open(folder);
  expect(records.device("cpu")).toBeUndefined();
  await records.ensureMeasured(async () => gigabyte);
  expect((await SpeedRecords.open(folder)).device("cpu")?.bytesPerSecond).toBe(gigabyte);
});
