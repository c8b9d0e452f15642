// run --watch: restarts the script after each change, at the same address; after an error it waits for
// the next change.
import { watch } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type DeploymentOptions,
  prepareDeployment,
} from "../../application/deploying/prepare-deployment.ts";
import { describeError, exitCodes, ProductError } from "../../base/product-error.ts";
import type { DeployResult } from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { DeployProgress } from "./deploy-progress.ts";
import { runEphemeral } from "./ephemeral.ts";
import { tell } from "./print.ts";
import { readDeployment } from "./read-deployment.ts";
import type { Session } from "./session.ts";
import { startedClientOf } from "./target.ts";

const pollMs = 100;
/** Editors write a file in several steps. */
const settleMs = 200;
/** Longer than the previous run takes to end. */
const patienceMs = 15_000;
/** Maximum delay of setTimeout, 24 days. */
const longestTimerMs = 2 ** 31 - 1;

interface RunListener {
  /** Called with the files to watch. */
  onFiles: (files: string[]) => void;
  onLive: (result: DeployResult) => void;
}

/** Continues until the signal, also after errors of the script. */
export async function runWatching(
  session: Session,
  reference: string,
  interrupted: AbortSignal,
): Promise<number> {
  const wishes = { ...readDeployment(session, reference), isEphemeral: true };
  // Later runs get the name of the first one, and so its address.
  let { appName } = wishes;
  // An error at the start ends the command.
  let { files } = await prepareDeployment(wishes, new DeployProgress(process.stderr, true));
  while (!interrupted.aborted) {
    const changed = new AbortController();
    const signal = AbortSignal.any([interrupted, changed.signal]);
    let watcher = watchFiles(files, () => changed.abort());
    try {
      await runOnce(session, { ...wishes, appName }, signal, {
        onFiles: (used) => {
          watcher.close();
          files = used;
          watcher = watchFiles(files, () => changed.abort());
        },
        onLive: ({ app }) => {
          appName = app.split("/").at(-1);
        },
      });
    } catch (error) {
      if (!signal.aborted) process.stderr.write(`Error: ${describeError(error)}\n`);
    }
    if (!signal.aborted) {
      tell(session.flags, "Waiting for changes to the script.");
      // Watchers do not keep the process running on every system; a timer does.
      await wait(longestTimerMs, undefined, { signal }).catch(() => {});
    }
    watcher.close();
    if (!interrupted.aborted) tell(session.flags, "The script changed; restarting.");
  }
  return exitCodes.interrupted;
}

async function runOnce(
  session: Session,
  wishes: DeploymentOptions,
  signal: AbortSignal,
  { onFiles, onLive }: RunListener,
): Promise<void> {
  const progress = new DeployProgress(process.stderr, session.flags.quiet === true);
  try {
    const { request, files } = await prepareDeployment(wishes, progress);
    onFiles(files);
    progress.finish();
    const client = await startedClientOf(session);
    const deadline = performance.now() + patienceMs;
    while (!signal.aborted) {
      try {
        await runEphemeral(session, client, request, progress, signal, onLive);
        return;
      } catch (error) {
        // The previous run is finishing its last requests.
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

/** Watches files. @param onChange called once, when writing has stopped */
function watchFiles(files: readonly string[], onChange: () => void): { close(): void } {
  // Watches folders, as editors replace files.
  const folders = new Map<string, Set<string>>();
  for (const file of files) {
    const names = folders.get(path.dirname(file)) ?? new Set();
    folders.set(path.dirname(file), names.add(path.basename(file)));
  }
  let timer: NodeJS.Timeout | undefined;
  const watchers = [...folders].map(([folder, names]) =>
    watch(folder, (_event, name) => {
      if (name === null || !names.has(name)) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, settleMs);
    }),
  );
  return {
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
