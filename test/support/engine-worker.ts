// A control plane in small, to be killed: starts the replicas of a plan, says what it sees, and waits.
import { readFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openEngine } from "./process-engine.ts";

const [stateFolder = "", planFile = "", ...replicas] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planFile, "utf8"));
const { engine } = openEngine(stateFolder);

// Saves compiled modules for the next process, since Node does so only at its own end, which a kill prevents.
flushCompileCache();
await engine.adopt(replicas);
engine.onChange(() => void tell());
// The app of a `run`, which ends with its control plane.
const endsWithServer = plan.app === "ephemeral";
for (const replica of replicas) {
  await engine.startReplica({ replica, plan, secrets: {}, endsWithServer });
}

async function tell(): Promise<void> {
  process.stdout.write(`${JSON.stringify(await engine.observe())}\n`);
}
