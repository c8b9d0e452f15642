// Output of GPU tools; a missing or broken tool is not an error.
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { GpuReader, parseNvidia, parseRocm } from "../../source/metrics/gpu-sample.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("nvidia-smi: one line per GPU, memory in MiB", () => {
  const output = "NVIDIA H200, 35, 1024, 143771, 45, 120.50\nTesla T4, 0, 3, 15360, 30, [N/A]\n";
  expect(parseNvidia(output)).toEqual([
    {
      name: "NVIDIA H200",
      load: 0.35,
      memoryUsedBytes: 1024 * 2 ** 20,
      memoryTotalBytes: 143_771 * 2 ** 20,
      temperatureCelsius: 45,
      powerWatts: 120.5,
    },
    {
      name: "Tesla T4",
      load: 0,
      memoryUsedBytes: 3 * 2 ** 20,
      memoryTotalBytes: 15_360 * 2 ** 20,
      temperatureCelsius: 30,
      powerWatts: undefined,
    },
  ]);
});

test("nvidia-smi: a message instead of a table means no GPU", () => {
  expect(parseNvidia("No devices were found\n")).toEqual([]);
  expect(parseNvidia("")).toEqual([]);
});

test("rocm-smi: an object for each GPU, memory in bytes, after warnings", () => {
  const output = `WARNING: AMD GPU device(s) is/are in a low-power state.
{"card0": {"Temperature (Sensor edge) (C)": "35.0", "GPU use (%)": "12",
 "VRAM Total Memory (B)": "17163091968", "VRAM Total Used Memory (B)": "11292672",
 "Average Graphics Package Power (W)": "15.0", "Card Series": "Radeon RX 6900 XT"},
 "system": {"Driver version": "6.3"}}`;
  expect(parseRocm(output)).toEqual([
    {
      name: "Radeon RX 6900 XT",
      load: 0.12,
      memoryUsedBytes: 11_292_672,
      memoryTotalBytes: 17_163_091_968,
      temperatureCelsius: 35,
      powerWatts: 15,
    },
  ]);
});

test("rocm-smi: invalid JSON means no GPU", () => {
  for (const output of ["", "rocm-smi: unknown flag", "{", "null", "[1]"]) {
    expect(parseRocm(output)).toEqual([]);
  }
});

describe("running the tools", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  const install = (name: string, script: string) => {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(folder, name), 0o755);
  };
  const reader = () => new GpuReader({ PATH: folder });

  test("without any there are no GPUs", async () => {
    expect(await reader().read()).toEqual([]);
  });

  test("an existing tool is run again and again", async () => {
    install("nvidia-smi", 'echo "NVIDIA H200, 35, 1024, 143771, 45, 120.50"');
    const gpus = reader();
    expect(await gpus.read()).toEqual([expect.objectContaining({ name: "NVIDIA H200" })]);
    install("nvidia-smi", 'echo "NVIDIA H200, 99, 1024, 143771, 45, 120.50"');
    expect(await gpus.read()).toEqual([expect.objectContaining({ load: 0.99 })]);
  });

  test("a failing one does not hide the other", async () => {
    install("nvidia-smi", "echo no driver >&2; exit 9");
    install("rocm-smi", `echo '{"card0": {"GPU use (%)": "50"}}'`);
    expect(await reader().read()).toEqual([
      expect.objectContaining({ name: "card0", load: 0.5, memoryUsedBytes: undefined }),
    ]);
  });
});
