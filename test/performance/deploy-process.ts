// Deploy screen in a separate process, with a real script that Python reads, and a launch whose log has
// 2,000 lines a second.

import { setTimeout as sleep } from "node:timers/promises";
import { ScreenDrafts } from "../../source/cli/cloud/screen-drafts.ts";
import { screenScripts } from "../../source/cli/cloud/screen-scripts.ts";
import type { DeployEvent } from "../../source/cloud/admin/documents.ts";
import { runApp } from "../../source/ui/app/run-app.tsx";
import { SampleServer, sampleCloud } from "../ui/screens/console/sample-cloud.ts";

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
  cloud: { ...sampleCloud(new FloodingServer()), drafts: new ScreenDrafts(stateFolder), scripts },
  program: "deployctl",
  first: "deploy",
});
