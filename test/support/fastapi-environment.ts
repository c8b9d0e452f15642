// Environments with fal itself, which brings FastAPI along, and with fal's client, made as the engine makes
// those of scripts that require them: once for these requirements, from the index of packages that pip is set to.
import path from "node:path";
import type { RevisionPlan } from "../../source/cloud/engines/engine.ts";
import { createEnvironments } from "../../source/cloud/engines/process/environment.ts";
import { defaultConfig } from "./process-engine.ts";

const falRequirements = [
  ...["fal==1.83.0", "fastapi==0.136.3", "pydantic==2.14.3"],
  ...["uvicorn==0.54.0", "websockets==17.4"],
];
const clientRequirements = ["fal_client==1.0.3", "httpx==0.28.1", "httpx-sse==0.4.3"];
/** Set by the suite's set-up, which takes the user's own folders away. */
const stateFolder = path.join(process.env.TEST_CACHE_FOLDER ?? "", "python");
/** Beyond a slow index no test waits. */
const limitMs = 150_000;

/** @returns the interpreter; undefined without access to a package index, which is logged */
export async function fastapiPython(): Promise<string | undefined> {
  return await pythonWith(falRequirements, "fal.App with fal and FastAPI");
}

/** @returns the interpreter; undefined without access to a package index, which is logged */
export async function falClientPython(): Promise<string | undefined> {
  return await pythonWith(clientRequirements, "the queue with fal_client");
}

async function pythonWith(requirements: string[], subject: string): Promise<string | undefined> {
  const environment = { ...process.env, PIP_DEFAULT_TIMEOUT: "10", PIP_RETRIES: "1" };
  const plan: RevisionPlan = {
    ...{ organisation: "local", app: "app", revision: "r0001-00000000" },
    ...{ bundleFolder: stateFolder, script: "deploy.py", target: "App" },
    config: { ...defaultConfig, requirements },
  };
  const lines: string[] = [];
  const prepare = createEnvironments({ stateFolder, environment });
  try {
    const signal = AbortSignal.timeout(limitMs);
    return (await prepare(plan, (line) => lines.push(line), signal)).python;
  } catch (error) {
    // Pip says so where the index itself is not there; any other failure is one of ours.
    if (lines.some((line) => line.includes("(from versions: none)"))) {
      console.warn(`NOT TESTED: ${subject}, for want of a package index.\n${lines.join("\n")}`);
      return undefined;
    }
    throw error;
  }
}
