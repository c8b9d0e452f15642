// A Python environment with Ray Serve, made once for these pins, as the engine makes those of scripts.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { RevisionPlan } from "../../../source/cloud/engines/engine.ts";
import { createEnvironments } from "../../../source/cloud/engines/process/environment.ts";
import { defaultConfig } from "../../support/process-engine.ts";

const pins = path.join(import.meta.dirname, "ray-requirements.txt");
/** Set by the suite's set-up, which takes the user's own folders away. */
const stateFolder = path.join(process.env.TEST_CACHE_FOLDER ?? "", "python");
/** Some 410 MB to download and unpack. */
export const installLimitMs = 600_000;

/**
 * @returns the interpreter; undefined where Ray cannot be installed, which is logged
 * @throws Error instead, in continuous integration
 */
export async function rayPython(): Promise<string | undefined> {
  const requirements = readFileSync(pins, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const environment = { ...process.env, PIP_DEFAULT_TIMEOUT: "30", PIP_RETRIES: "1" };
  const plan: RevisionPlan = {
    ...{ organisation: "local", app: "app", revision: "r0001-00000000" },
    ...{ bundleFolder: stateFolder, script: "deploy.py", target: "serve" },
    config: { ...defaultConfig, requirements },
  };
  const lines: string[] = [];
  const prepare = createEnvironments({ stateFolder, environment });
  try {
    const signal = AbortSignal.timeout(installLimitMs);
    return (await prepare(plan, (line) => lines.push(line), signal)).python;
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.warn(
      `NOT TESTED: deployctl on Ray, which cannot be installed here.\n${lines.join("\n")}\n${error}`,
    );
    return undefined;
  }
}
