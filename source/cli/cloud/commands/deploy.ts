// deployctl deploy: deploys a script as an app, or as its next revision.

import {
  keepQuestion,
  readDeployedApp,
  secretsUnread,
} from "../../../application/deploying/kept-variables.ts";
import {
  explainMissingProgram,
  prepareDeployment,
  variablesNote,
} from "../../../application/deploying/prepare-deployment.ts";
import type { AppReference } from "../../../cloud/admin/admin-client.ts";
import { isYes } from "../../confirm.ts";
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
    const findDeployed = async (app: AppReference) => {
      progress.finish();
      return await readDeployedApp(await startedClientOf(session), app);
    };
    const prepared = await prepareDeployment({ ...wishes, findDeployed }, progress);
    const { request, warnings, unreadSecrets } = prepared;
    const note = variablesNote(request);
    if (note !== undefined) progress.note(note);
    progress.finish();
    await confirmSecrets(unreadSecrets, flags.keepSecrets === true);
    const client = await startedClientOf(session);
    const begin = (signal: AbortSignal) => client.deploy(request, signal);
    const result = await followDeployment(begin, progress).catch((error) => {
      throw isLocal(session) ? explainMissingProgram(error, request.config.executables) : error;
    });
    const document = { ...result, warnings: [...warnings, ...result.warnings] };
    printAnswer(flags, {
      document,
      text: deploySummary(document, certificateOf(session, result.url), request.config.environment),
      names: [result.url],
    });
  } finally {
    progress.finish();
  }
};

/** Asks before a script gets secrets that were given for another one. @throws ProductError `CLOUD_SECRETS_UNREAD` */
async function confirmSecrets(names: readonly string[], isConfirmed: boolean): Promise<void> {
  if (names.length === 0 || isConfirmed) return;
  if (!(await isYes(`${keepQuestion(names)} [y/N] `))) throw secretsUnread(names);
}
