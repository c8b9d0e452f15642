// Cost of the console with 200 deployments and a log of 2,000 lines a second: frame time,
// processor, and the time from a key to its effect.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./report.ts";
import type { ScreenCosts } from "./screen-process.ts";
import { openProgram } from "./screen-terminal.ts";

const measuredSeconds = 9;
const waitLimitMs = 60_000;
/** Text that is visible once Tab has reached each pane. */
const hintsOfPanes = ["x stop", "new key", "stream", "scale"];
const rounds = 5;

export async function measureConsole(temporaryFolder: string): Promise<Figure[]> {
  const file = join(temporaryFolder, "console.json");
  const screen = await openProgram("console-process", {
    SCREEN_FIGURES: file,
    SCREEN_SECONDS: String(measuredSeconds),
  });
  try {
    await screen.shows("1 of 200");
    await untilThere(`${file}.begun`);
    await sleep(1000);
    const keyTimesMs: number[] = [];
    for (const hint of Array.from({ length: rounds }, () => hintsOfPanes).flat()) {
      const pressedAtMs = performance.now();
      screen.write("\t");
      await screen.shows(hint);
      keyTimesMs.push(performance.now() - pressedAtMs);
      // Irregular, so that keys do not coincide with frames.
      await sleep(130 + 37 * (keyTimesMs.length % 5));
    }
    await untilThere(file);
    const { frameMs, processorShare } = JSON.parse(await readFile(file, "utf8")) as ScreenCosts;
    const label = "console, 200 deployments, 2000 lines/s:";
    return [
      figure(`${label} frame, p95`, "ms", quantile(frameMs, 0.95), 16),
      figure(`${label} processor, of one core`, "%", processorShare * 100, 35),
      figure(`${label} key to what it does, p95`, "ms", quantile(keyTimesMs, 0.95), 50),
    ];
  } finally {
    screen.close();
  }
}

function figure(label: string, unit: Figure["unit"], sample: number, value: number): Figure {
  return { label, unit, samples: [sample], target: { bound: "below", value } };
}

async function untilThere(file: string): Promise<void> {
  const deadlineMs = performance.now() + waitLimitMs;
  while (!existsSync(file)) {
    if (performance.now() > deadlineMs) throw new Error(`the console did not write ${file}`);
    await sleep(50);
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
