// run --watch: runs the script again at each change, at the same address; after a mistake it waits
// for a fix.
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { prepareDeployment } from "../../application/prepare-deployment.ts";
import { describeError, exitCodes, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { DeployProgress } from "./deploy-progress.ts";
import { runEphemeral } from "./ephemeral.ts";
import { tell } from "./print.ts";
import { readDeployment } from "./read-deployment.ts";
import type { Session } from "./session.ts";
import { startedClientOf } from "./target.ts";
import { watchFiles } from "./watch-files.ts";

const pollMs = 100;
/** Longer than the round before may take to end. */
const patienceMs = 15_000;

/** Continues until the signal, whatever happens to the script. */
export async function runWatching(
  session: Session,
  reference: string,
  interrupted: AbortSignal,
): Promise<number> {
  const wishes = { ...readDeployment(session, reference), isEphemeral: true };
  const name = wishes.appName ?? randomUUID();
  // A script that is wrong from the start ends the command.
  let { files } = await prepareDeployment(wishes, new DeployProgress(process.stderr, true));
  while (!interrupted.aborted) {
    const changed = new AbortController();
    const signal = AbortSignal.any([interrupted, changed.signal]);
    let watcher = watchFiles(files, () => changed.abort());
    try {
      await runOnce(session, reference, name, signal, (used) => {
        watcher.close();
        files = used;
        watcher = watchFiles(files, () => changed.abort());
      });
    } catch (error) {
      if (!signal.aborted) process.stderr.write(`Error: ${describeError(error)}\n`);
    }
    if (!signal.aborted) {
      tell(session.flags, "Waiting for changes to the script.");
      await until(signal);
    }
    watcher.close();
    if (!interrupted.aborted) tell(session.flags, "The script changed; restarting.");
  }
  return exitCodes.interrupted;
}

async function runOnce(
  session: Session,
  reference: string,
  name: string,
  signal: AbortSignal,
  onFiles: (files: string[]) => void,
): Promise<void> {
  const progress = new DeployProgress(process.stderr, session.flags.quiet === true);
  try {
    const wishes = { ...readDeployment(session, reference), appName: name, isEphemeral: true };
    const { request, files } = await prepareDeployment(wishes, progress);
    onFiles(files);
    progress.finish();
    const client = await startedClientOf(session);
    const deadline = performance.now() + patienceMs;
    while (!signal.aborted) {
      try {
        await runEphemeral(session, client, request, progress, signal);
        return;
      } catch (error) {
        // The round before still finishes its last requests.
        if (!isConflict(error) || performance.now() > deadline) throw error;
        await wait(pollMs, undefined, { signal });
      }
    }
  } finally {
    progress.finish();
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ProductError && error.code === cloudErrors.conflict.code;
}

async function until(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    // Files that are watched do not keep the process up by themselves on every system.
    const keepUp = setInterval(() => {}, 60_000);
    signal.addEventListener("abort", () => {
      clearInterval(keepUp);
      resolve();
    });
  });
}
