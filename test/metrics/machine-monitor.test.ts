// Samples of the machine, taken only while a client follows, and its temperature.
import { expect, test } from "vitest";
import {
  CpuTemperature,
  MachineMonitor,
  type MachineSample,
  readCpuTemperature,
} from "../../source/metrics/machine-monitor.ts";
import { until } from "../support/until.ts";

function monitor(gpus: () => Promise<never[]> = async () => []) {
  let tokens = 0;
  let asked = 0;
  const model = {
    ...({ state: "busy", ramBytes: 7, vramBytes: 0 } as const),
    ...{ slots: 2, contextLength: 4096, cacheBytes: 5, cacheType: "f16" },
    ...{ expiresAt: undefined, loadFraction: 1 },
  };
  const made = new MachineMonitor({
    models: () => [
      { ...model, name: "a:latest", names: ["a:latest", "b:latest"], running: 2, waiting: 3 },
      { ...model, name: "idle:latest", names: ["idle:latest"], running: 1, waiting: 0 },
    ],
    generatedTokens: () => {
      asked += 1;
      tokens += 1000;
      return new Map([
        ["a:latest", tokens],
        ["b:latest", 2 * tokens],
        ["gone:latest", tokens],
      ]);
    },
    requests: () => ({ longestWaitMs: 40, contextTokens: 90, areRecorded: false }),
    gpus: { read: gpus },
    intervalMs: 5,
  });
  return { made, asked: () => asked };
}

test("one sample has processor, memory, models, requests and speed", async () => {
  const sample = await monitor().made.glance();
  expect(sample.cpu.cores).toBeGreaterThan(0);
  expect(sample.cpu.load).toBeGreaterThanOrEqual(0);
  expect(sample.cpu.load).toBeLessThanOrEqual(1);
  const { totalBytes, usedBytes, processBytes } = sample.memory;
  expect(usedBytes).toBeGreaterThan(processBytes / 2);
  expect(usedBytes).toBeLessThan(totalBytes);
  expect(sample).toMatchObject({ gpus: [], requests: { running: 3, waiting: 3 } });
  expect(sample.requests).toMatchObject({ longestWaitMs: 40, contextTokens: 90 });
  // A model's speed is that of all its names; the server's, of unloaded ones too.
  const [named, idle] = sample.models;
  expect(named?.tokensPerSecond).toBeGreaterThan(0);
  expect(named?.tokensPerSecond).toBeCloseTo((sample.tokensPerSecond * 3) / 4);
  expect(idle?.tokensPerSecond).toBe(0);
});

test("followers get every sample, and past ones stay as a series", async () => {
  const { made } = monitor();
  const seen: MachineSample[] = [];
  const leave = made.follow((sample) => seen.push(sample));
  await until(
    () => seen.length,
    (count) => count >= 3,
  );
  leave();
  expect(made.series).toEqual(seen);
  expect(seen.map(({ time }) => time)).toEqual(seen.map(({ time }) => time).sort());
});

test("nothing is sampled before the first and after the last follower", async () => {
  const { made, asked } = monitor();
  expect(asked()).toBe(0);
  const leave = [made.follow(() => {}), made.follow(() => {})];
  await until(asked, (count) => count >= 3);
  for (const end of leave) end();
  const before = asked();
  // Waits by the samples of another monitor.
  const other = monitor();
  const end = other.made.follow(() => {});
  await until(other.asked, (count) => count >= 4);
  end();
  expect(asked()).toBe(before);
});

test("a tool that never answers blocks nothing", async () => {
  const { made } = monitor(() => new Promise(() => {}));
  let count = 0;
  const leave = made.follow(() => {
    count += 1;
  });
  await until(
    () => count,
    (seen) => seen >= 2,
  );
  leave();
});

test("a temperature is reused for a while", async () => {
  let asked = 0;
  const temperature = new CpuTemperature(async () => {
    asked += 1;
    return 55;
  });
  expect(temperature.celsius).toBeUndefined();
  await until(
    () => temperature.celsius,
    (celsius) => celsius === 55,
  );
  expect(asked).toBe(1);
});

test("a failing or silent temperature sensor counts as none", async () => {
  const failed = Promise.withResolvers<void>();
  const failing = new CpuTemperature(async () => {
    queueMicrotask(failed.resolve);
    throw new Error("no such sensor");
  });
  const silent = new CpuTemperature(() => new Promise(() => {}));
  expect([failing.celsius, silent.celsius]).toEqual([undefined, undefined]);
  await failed.promise;
  expect([failing.celsius, silent.celsius]).toEqual([undefined, undefined]);
});

test("this machine has a plausible temperature, or none", async () => {
  const celsius = await readCpuTemperature();
  expect(celsius === undefined || (celsius > 0 && celsius < 130)).toBe(true);
});
