// Time from a key to its effect in the deploy screen, while Python reads the script and while a
// launch writes 2,000 lines a second.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./report.ts";
import { openProgram } from "./screen-terminal.ts";

const rounds = 40;
const keyLimitMs = 50;
/** Text that is visible in each step after the inspection; only changed parts of titles are painted. */
const steps = ["to launch", "Launching"];

export async function measureDeployScreen(temporaryFolder: string): Promise<Figure[]> {
  const script = join(temporaryFolder, "served.py");
  writeFileSync(
    script,
    "import deployctl\n\n\n@deployctl.app(port=8000)\ndef serve():\n    pass\n",
  );
  const screen = await openProgram("deploy-process", {
    DEPLOY_STATE: join(temporaryFolder, "deploy-state"),
  });
  const press = async (key: string, seen: string) => {
    const pressedAtMs = performance.now();
    screen.write(key);
    await screen.shows(seen);
    return performance.now() - pressedAtMs;
  };
  try {
    await screen.shows("1 of 3");
    await screen.takesKeys();
    await press(script, "served.py");
    const reading: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // The script is read again whenever the step opens.
      await press("\r", "2 of 3");
      reading.push(await press("\u001b[Z", "1 of 3"));
    }
    await press("\r", "2 of 3");
    await screen.shows("a function");
    for (const step of steps) await press("\r", step);
    await screen.shows("loading shard");
    const launching: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      launching.push(await press("\u0010", "Commands"));
      await press("\u001b", "Launching");
      // Irregular, so that keys do not coincide with frames.
      await sleep(130 + 37 * (round % 5));
    }
    return [
      figure("deploy screen, a script is read: key to what it does, p95", reading),
      figure("deploy screen, launch with 2000 lines/s: key to what it does, p95", launching),
    ];
  } finally {
    screen.close();
  }
}

function figure(label: string, timesMs: readonly number[]): Figure {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  return { label, unit: "ms", samples: [p95], target: { bound: "below", value: keyLimitMs } };
}
