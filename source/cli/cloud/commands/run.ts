// deployctl run: serves a script while this command runs, with its log here.
import { prepareDeployment } from "../../../application/prepare-deployment.ts";
import { exitCodes } from "../../../base/product-error.ts";
import { usageError } from "../../errors.ts";
import { DeployProgress } from "../deploy-progress.ts";
import { type EphemeralEnd, runEphemeral } from "../ephemeral.ts";
import type { Flags } from "../flags.ts";
import { tell } from "../print.ts";
import { readDeployment } from "../read-deployment.ts";
import { openSession, type Session } from "../session.ts";
import { startedClientOf } from "../target.ts";
import { watchFiles } from "../watch-files.ts";
import { oneWord } from "../words.ts";

export async function run(words: string[], flags: Flags): Promise<number> {
  const session = openSession(flags);
  const reference = oneWord("run", "FILE.py[::NAME]", words);
  if (flags.local) {
    if (flags.watch) throw usageError("--watch is not for --local.", "Leave one of them out.");
    return await runHere(session, reference);
  }
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  process.once("SIGTERM", () => interrupted.abort());
  let name: string | undefined;
  while (true) {
    const end = await runOnce(session, reference, name, interrupted.signal);
    if (end.kind === "interrupted") return exitCodes.interrupted;
    if (end.kind === "ended") return end.exitCode;
    name = end.name;
    tell(flags, "The script has changed; starting again.");
  }
}

type RunEnd = EphemeralEnd | { kind: "changed"; name: string | undefined };

/** @param name of an earlier round: the address stays */
async function runOnce(
  session: Session,
  reference: string,
  name: string | undefined,
  interrupted: AbortSignal,
): Promise<RunEnd> {
  const { flags } = session;
  const wishes = readDeployment(session, reference);
  const progress = new DeployProgress(process.stderr, flags.quiet === true);
  const changed = new AbortController();
  const signal = AbortSignal.any([interrupted, changed.signal]);
  let watcher: { close(): void } | undefined;
  let drawn = name;
  try {
    const { request, files } = await prepareDeployment(
      { ...wishes, appName: wishes.appName ?? name, isEphemeral: true },
      progress,
    );
    if (flags.watch) watcher = watchFiles(files, () => changed.abort());
    const client = await startedClientOf(session);
    const end = await runEphemeral(session, client, request, progress, signal, (app) => {
      drawn = app;
    });
    return end.kind === "interrupted" && changed.signal.aborted && !interrupted.aborted
      ? { kind: "changed", name: drawn }
      : end;
  } finally {
    watcher?.close();
    progress.finish();
  }
}

/** The function alone, as its replica would call it, on the port that the script says. */
async function runHere(session: Session, reference: string): Promise<number> {
  const wishes = readDeployment(session, reference);
  const progress = new DeployProgress(process.stderr, session.flags.quiet === true);
  const { request, script } = await prepareDeployment({ ...wishes, isEphemeral: true }, progress);
  progress.finish();
  const { runLocally } = await import("../../../application/run-locally.ts");
  tell(session.flags, `Calling ${request.inspection.target}; port ${request.config.exposedPort}.`);
  return await runLocally(script, request);
}
