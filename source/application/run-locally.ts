// Calls a script's function as a replica would, without control plane and gateway.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import path from "node:path";
import { spawnWatched } from "../base/parent-watch.ts";
import { ProductError } from "../base/product-error.ts";
import type { DeploymentRequest } from "../cloud/admin/documents.ts";
import { runnerFile } from "../cloud/engines/process/spawn-runner.ts";
import { cloudErrors } from "../cloud/errors.ts";
import { modelctlCommand, modelctlVariable } from "./deploy-script.ts";

/**
 * Output and Ctrl+C are the script's own; the port is the one that it says.
 *
 * @returns its exit code; 128 and the signal's number when a signal ended it
 */
export async function runLocally(
  script: string,
  { inspection, config, secrets }: DeploymentRequest,
): Promise<number> {
  const port = String(config.exposedPort);
  const child = spawnWatched("tree", () =>
    spawn("python3", ["-u", runnerFile(), "--script", script, "--target", inspection.target], {
      cwd: path.dirname(script),
      stdio: "inherit",
      env: {
        ...process.env,
        [modelctlVariable]: modelctlCommand(),
        ...config.environment,
        ...secrets,
        PORT: port,
        DEPLOYCTL_PORT: port,
        DEPLOYCTL_PORT_REWRITE: "none",
        DEPLOYCTL_EVENTS: "off",
      },
    }),
  );
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  const ignore = () => {}; // the terminal sends it to the script too
  process.on("SIGINT", ignore);
  process.on("SIGTERM", pass);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(error)));
      child.once("close", (code, signal) => {
        resolve(code ?? (signal === null ? 1 : 128 + constants.signals[signal]));
      });
    });
  } finally {
    process.off("SIGINT", ignore);
    process.off("SIGTERM", pass);
  }
}

function notStarted(cause: Error): ProductError {
  return new ProductError(cloudErrors.startFailed, {
    message: `python3 cannot be started: ${cause.message}.`,
    hint: "Install Python 3.8 or newer.",
    cause,
  });
}
