// Times of modelctl's commands, from the start of the process.

import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { killGroup, killOnExit, killStragglers } from "./clean-up.ts";
import type { Figure } from "./report.ts";
import { childEnvironment, commandPath, createHome, findFreePort } from "./server-process.ts";

const versionRuns = 10;
const runRuns = 3;
const commandLimitMs = 60_000;
/** Time limit for a command to exit after its first output. */
const leaveLimitMs = 10_000;

export async function measureCommands(temporaryFolder: string): Promise<Figure[]> {
  const home = await createHome(temporaryFolder);
  const versionTimesMs: number[] = [];
  for (let index = 0; index < versionRuns; index++) {
    versionTimesMs.push((await time(["--version"], home)).endedMs);
  }
  const runTimesMs: number[] = [];
  for (let index = 0; index < runRuns; index++) {
    // A new home and port each time, so that the command finds no server and starts everything.
    const environment = {
      ...(await createHome(temporaryFolder)),
      MODELCTL_HOST: `127.0.0.1:${await findFreePort()}`,
    };
    const { firstOutputMs } = await time(["run", "tiny", "hi"], environment);
    runTimesMs.push(firstOutputMs);
    // No server is being measured, so all remaining processes belong to this command.
    killStragglers();
  }
  return [
    {
      label: "modelctl --version, whole run",
      unit: "ms",
      samples: versionTimesMs,
      target: { bound: "below", value: 120 },
    },
    {
      label: 'modelctl run tiny "hi", first output',
      unit: "ms",
      samples: runTimesMs,
      target: { bound: "below", value: 1500 },
    },
  ];
}

interface CommandTimes {
  firstOutputMs: number;
  endedMs: number;
}

async function time(
  values: readonly string[],
  environment: Record<string, string>,
): Promise<CommandTimes> {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [commandPath, ...values], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: childEnvironment(environment),
  });
  const processGroup = child.pid;
  if (processGroup === undefined) throw new Error("node does not start");
  const forget = killOnExit(processGroup);
  let errorText = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorText = (errorText + text).slice(-2000);
  });
  const ended = new Promise<number>((done) => {
    child.once("exit", () => done(performance.now() - startedAtMs));
  });
  const firstOutput = new Promise<number>((done) => {
    child.stdout.once("data", () => done(performance.now() - startedAtMs));
  });
  try {
    // The output of a short process may arrive after its exit event.
    const ending = ended.then(() => sleep(100, Number.NaN, { ref: false }));
    const firstOutputMs = await Promise.race([
      firstOutput,
      ending,
      sleep(commandLimitMs, Number.NaN, { ref: false }),
    ]);
    if (Number.isNaN(firstOutputMs)) {
      throw new Error(`modelctl ${values.join(" ")} printed nothing on stdout.\n${errorText}`);
    }
    const endedMs = await Promise.race([ended, sleep(leaveLimitMs, Number.NaN, { ref: false })]);
    return { firstOutputMs, endedMs };
  } finally {
    killGroup(processGroup, "SIGKILL");
    forget();
  }
}
