// The processor's temperature: read from a sensor, without blocking.
import { expect, test } from "vitest";
import { CpuTemperature, readCpuTemperature } from "../../source/metrics/cpu-temperature.ts";
import { until } from "../support/until.ts";

test("a reading is reused for a while", async () => {
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

test("a failing or silent sensor counts as none", async () => {
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
