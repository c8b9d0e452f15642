// Deploy screen in a separate process, with a real script that Python reads, and a launch whose log has
// 2,000 lines a second.

import { setTimeout as sleep } from "node:timers/promises";
import type { DeployEvent } from "../../source/cloud/admin/documents.ts";
import { SampleServer, sampleCloud } from "../ui/screens/console/sample-cloud.ts";

/** Loaded from the build, so that loading TypeScript is not measured. */
const built = (file: string) => new URL(`../../dist/source/${file}`, import.meta.url).href;
const { runApp }: typeof import("../../source/ui/app/run-app.tsx") = await import(
  built("ui/app/run-app.js")
);
const { screenScripts }: typeof import("../../source/cli/cloud/screen-scripts.ts") = await import(
  built("cli/cloud/screen-scripts.js")
);

const linesPerSecond = 2000;
const tickMs = 10;
const { DEPLOY_STATE: stateFolder = "" } = process.env;

class FloodingServer extends SampleServer {
  override async *deploy(): AsyncGenerator<DeployEvent> {
    yield { kind: "phase", phase: "start", sentence: "calling serve", elapsedMs: 0 };
    const startedAtMs = performance.now();
    for (let count = 0; ; ) {
      const due = ((performance.now() - startedAtMs) * linesPerSecond) / 1000;
      for (; count < due; count += 1) yield { kind: "log", text: `loading shard ${count} of many` };
      await sleep(tickMs);
    }
  }
}

const noSession = () => {
  throw new Error("no server of this machine is asked here");
};
const scripts = { ...screenScripts(noSession), preflight: async () => [] };
await runApp({
  cloud: { ...sampleCloud(new FloodingServer()), stateFolder, scripts },
  program: "deployctl",
  first: "deploy",
});
