// Runs a command as a replica's process would: with its variables, in its folder, on its machine.
import { spawn } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { exitCodes, ProductError } from "../base/product-error.ts";
import type { ReplicaDocument } from "../cloud/admin/documents.ts";
import { cloudErrors } from "../cloud/errors.ts";

/**
 * The terminal is the command's own until it ends.
 *
 * @returns its exit code; 128 and the signal's number when a signal ended it
 * @throws ProductError `CLOUD_CONFLICT` for a replica without a process
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
  // The command gets it from the terminal itself, and decides.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(program, error)));
      child.once("close", (code, signal) => {
        resolve(code ?? (signal === null ? 1 : 128 + constants.signals[signal]));
      });
    });
  } finally {
    process.off("SIGINT", ignore);
  }
}

function readSurroundings(
  processId: number,
): { folder: string; environment: Record<string, string> } | undefined {
  try {
    const entries = readFileSync(`/proc/${processId}/environ`, "utf8").split("\0");
    const pairs = entries
      .filter((entry) => entry.includes("="))
      .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]);
    const environment = Object.fromEntries(pairs);
    // Processes started here are not part of the replica, and must not end with it.
    delete environment.DEPLOYCTL_NONCE;
    return { folder: readlinkSync(`/proc/${processId}/cwd`), environment };
  } catch {
    return undefined; // it has ended, or belongs to another user
  }
}

function notStarted(program: string, cause: Error): ProductError {
  return new ProductError(
    { ...cloudErrors.requestInvalid, exitCode: exitCodes.notFound },
    { message: `${program} cannot be started: ${cause.message}.`, cause },
  );
}
