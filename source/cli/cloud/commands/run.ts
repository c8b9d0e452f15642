// deployctl run: serves a script while this command runs, with its log here.
import {
  prepareDeployment,
  variablesNote,
} from "../../../application/deploying/prepare-deployment.ts";
import { usageError } from "../../errors.ts";
import type { Run } from "../../program/definition.ts";
import { DeployProgress } from "../deploy-progress.ts";
import { runEphemeral } from "../ephemeral.ts";
import { tell } from "../print.ts";
import { readDeployment } from "../read-deployment.ts";
import { openSession, type Session } from "../session.ts";
import { startedClientOf } from "../target.ts";
import type { scriptCommands } from "./scripts.definition.ts";

export const run: Run<typeof scriptCommands.run> = async ([reference], flags) => {
  const session = openSession(flags);
  if (flags.local) {
    if (flags.watch)
      throw usageError("--watch and --local cannot be used together.", "Remove one of them.");
    return await runHere(session, reference);
  }
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  process.once("SIGTERM", () => interrupted.abort());
  const { signal } = interrupted;
  if (flags.watch) {
    const { runWatching } = await import("../watch-run.ts");
    return await runWatching(session, reference, signal);
  }
  const wishes = readDeployment(session, reference);
  const progress = new DeployProgress(process.stderr, flags.quiet === true);
  try {
    const { request } = await prepareDeployment({ ...wishes, isEphemeral: true }, progress);
    const note = variablesNote(request);
    if (note !== undefined) progress.note(note);
    progress.finish();
    const client = await startedClientOf(session);
    return await runEphemeral(session, client, request, progress, signal);
  } finally {
    progress.finish();
  }
};

/** The function alone, as its replica would call it, on the port that the script says. */
async function runHere(session: Session, reference: string): Promise<number> {
  const wishes = readDeployment(session, reference);
  const progress = new DeployProgress(process.stderr, session.flags.quiet === true);
  const { request, script } = await prepareDeployment({ ...wishes, isEphemeral: true }, progress);
  progress.finish();
  const { runLocally } = await import("../../../application/deploying/run-as-replica.ts");
  tell(session.flags, `Calling ${request.inspection.target}; port ${request.config.exposedPort}.`);
  return await runLocally(script, request);
}
