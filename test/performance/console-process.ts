// Console with 200 deployments and a log of 2,000 lines a second, in a separate process. Writes its cost
// to the file SCREEN_FIGURES after SCREEN_SECONDS.

import { rename, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { runApp } from "../../source/ui/app/run-app.tsx";
import {
  SampleServer,
  sampleApp,
  sampleCloud,
  sampleLine,
  sampleReplica,
} from "../ui/screens/console/sample-cloud.ts";
import type { ScreenCosts } from "./screen-process.ts";

const deployments = 200;
const linesPerSecond = 2000;
const tickMs = 10;
const { SCREEN_FIGURES: file = "", SCREEN_SECONDS = "5" } = process.env;

const server = new SampleServer();
server.appList = Array.from({ length: deployments }, (_, index) =>
  sampleApp({ app: `app-${String(index).padStart(3, "0")}`, inFlight: index % 7 }),
);
server.replicaList = [sampleReplica({ app: "app-000" })];

let frames: number[] | undefined;
const running = runApp({
  cloud: sampleCloud(server),
  program: "deployctl",
  first: "console",
  onFrame: (milliseconds) => frames?.push(milliseconds),
});
while (server.followers === 0) await sleep(tickMs);
await flood();
await running;
process.exit(0);

async function flood(): Promise<void> {
  let count = 0;
  const startedAtMs = performance.now();
  const measured = Number(SCREEN_SECONDS) * 1000;
  let before = process.threadCpuUsage();
  await writeFile(`${file}.begun`, "");
  for (let elapsedMs = 0; elapsedMs < measured; elapsedMs = performance.now() - startedAtMs) {
    // Leaves out the first second, in which code is compiled.
    if (frames === undefined && elapsedMs > 1000) {
      frames = [];
      before = process.threadCpuUsage();
    }
    for (; count < (elapsedMs * linesPerSecond) / 1000; count += 1) {
      const text = `POST /v1/chat/completions 200, request ${count} of a day on which many of them came`;
      server.write(sampleLine({ seq: count, text }));
    }
    await sleep(tickMs);
  }
  const { user, system } = process.threadCpuUsage(before);
  const costs: ScreenCosts = {
    frameMs: frames ?? [],
    processorShare: (user + system) / 1000 / (measured - 1000),
  };
  await writeFile(`${file}.part`, JSON.stringify(costs));
  // Readers wait for this name, so they read a complete file.
  await rename(`${file}.part`, file);
}
