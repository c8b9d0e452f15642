// Runs a script or a command on this terminal as a replica would.
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import path from "node:path";
import { spawnWatched } from "../../base/parent-watch.ts";
import { exitCodes, ProductError } from "../../base/product-error.ts";
import type { DeploymentRequest, ReplicaDocument } from "../../cloud/admin/documents.ts";
import { readSurroundings } from "../../cloud/engines/process/replica-shell.ts";
import { runnerFile } from "../../cloud/engines/process/spawn-replica.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { modelctlCommand, modelctlVariable } from "./deploy-script.ts";

/**
 * Calls a script's function as a replica would, without control plane and gateway. Output and Ctrl+C
 * go to the script, which listens on its own port.
 *
 * @returns its exit code; after a signal, 128 and the signal's number
 * @throws ProductError `CLOUD_START_FAILED`
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
  process.on("SIGTERM", pass);
  try {
    return await exitCodeOf(child, scriptNotStarted);
  } finally {
    process.off("SIGTERM", pass);
  }
}

/**
 * Runs a command with the variables and in the folder of a replica on this machine.
 *
 * @returns its exit code; after a signal, 128 and the signal's number
 * @throws ProductError `CLOUD_CONFLICT` for a replica without a process, `CLOUD_REQUEST_INVALID`
 */
export async function execInReplica(
  { replica, state, processId }: ReplicaDocument,
  program: string,
  args: readonly string[],
): Promise<number> {
  const surroundings = processId === undefined ? undefined : readSurroundings(processId);
  if (surroundings === undefined) {
    throw new ProductError(cloudErrors.conflict, {
      message: `Runner ${replica} (${state}) has no process of this user on this machine.`,
      hint: "Run deployctl runners list to see the running ones.",
    });
  }
  const { folder, environment } = surroundings;
  const child = spawn(program, args, { cwd: folder, env: environment, stdio: "inherit" });
  return await exitCodeOf(child, (error) => commandNotStarted(program, error));
}

/** Ignores Ctrl+C until the child ends, as the terminal sends it to the child too. */
async function exitCodeOf(
  child: ChildProcess,
  notStarted: (cause: Error) => ProductError,
): Promise<number> {
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(error)));
      child.once("close", (code, signal) => {
        resolve(code ?? (signal === null ? 1 : 128 + constants.signals[signal]));
      });
    });
  } finally {
    process.off("SIGINT", ignore);
  }
}

function scriptNotStarted(cause: Error): ProductError {
  return new ProductError(cloudErrors.startFailed, {
    message: `python3 cannot be started: ${cause.message}.`,
    hint: "Install Python 3.8 or newer.",
    cause,
  });
}

function commandNotStarted(program: string, cause: Error): ProductError {
  return new ProductError(
    { ...cloudErrors.requestInvalid, exitCode: exitCodes.notFound },
    { message: `${program} cannot be started: ${cause.message}.`, cause },
  );
}
