// deployctl deploy: deploys a script as an app, or as its next revision.
import {
  explainMissingProgram,
  prepareDeployment,
  variablesNote,
} from "../../../application/prepare-deployment.ts";
import type { Run } from "../../program/definition.ts";
import { DeployProgress } from "../deploy-progress.ts";
import { certificateOf, deploySummary } from "../deploy-summary.ts";
import { followDeployment } from "../follow-deployment.ts";
import { printAnswer } from "../print.ts";
import { readDeployment } from "../read-deployment.ts";
import { openSession } from "../session.ts";
import { isLocal, startedClientOf } from "../target.ts";
import type { scriptCommands } from "./scripts.definition.ts";

export const deploy: Run<typeof scriptCommands.deploy> = async ([reference], flags) => {
  const session = openSession(flags);
  const wishes = readDeployment(session, reference);
  const progress = new DeployProgress(process.stderr, flags.quiet === true);
  try {
    const { request, warnings } = await prepareDeployment(wishes, progress);
    const note = variablesNote(request);
    if (note !== undefined) progress.note(note);
    progress.finish();
    const client = await startedClientOf(session);
    const begin = (signal: AbortSignal) => client.deploy(request, signal);
    const result = await followDeployment(begin, progress).catch((error) => {
      throw isLocal(session) ? explainMissingProgram(error, request.config.executables) : error;
    });
    const document = { ...result, warnings: [...warnings, ...result.warnings] };
    printAnswer(flags, {
      document,
      text: deploySummary(document, certificateOf(session, result.url)),
      names: [result.url],
    });
  } finally {
    progress.finish();
  }
};
