// deployctl apps list-rev, set-rev, delete-rev, pin-rev, unpin-rev and rollout, and rollback.

import { formatRelativeTime } from "../../../base/formats.ts";
import { exitCodes } from "../../../base/product-error.ts";
import type { DeployEvent, DeployResult, RolloutRequest } from "../../../cloud/admin/documents.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { DeployProgress } from "../deploy-progress.ts";
import type { Flags } from "../flags.ts";
import { followDeployment } from "../follow-deployment.ts";
import { printAnswer } from "../print.ts";
import { appReference } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import type {
  deleteRevisionDefinition,
  listRevisionsDefinition,
  pinRevisionDefinition,
  rollbackDefinition,
  rolloutDefinition,
  setRevisionDefinition,
  unpinRevisionDefinition,
} from "./revisions.definition.ts";

export const listRevisions: Run<typeof listRevisionsDefinition> = async ([name], flags) => {
  const session = openSession(flags);
  const app = appReference(session, name);
  const revisions = await clientOf(session).revisions(app);
  const now = Date.now();
  const rows = revisions.map(({ revision, state, isPinned, createdAt, message, reason }) => [
    revision,
    isPinned ? `${state} (pinned)` : state,
    formatRelativeTime(createdAt, now),
    reason ?? message ?? "",
  ]);
  printAnswer(flags, {
    document: { revisions },
    text: formatTable(["revision", "state", "created", "message"], rows),
    names: revisions.map(({ revision }) => revision),
  });
  return exitCodes.ok;
};

export const setRevision: Run<typeof setRevisionDefinition> = async ([app, revision], flags) => {
  return await activate(app, revision, flags);
};

export const rollback: Run<typeof rollbackDefinition> = async ([name], flags) => {
  return await activate(name, "previous", flags);
};

export const deleteRevision: Run<typeof deleteRevisionDefinition> = async (
  [name, revision],
  flags,
) => {
  const session = openSession(flags);
  const app = appReference(session, name);
  await clientOf(session).deleteRevision(app, revision);
  printAnswer(flags, {
    document: { app, revision, deleted: true },
    text: `deleted ${revision} of ${app}\n`,
    names: [revision],
  });
  return exitCodes.ok;
};

export const pinRevision: Run<typeof pinRevisionDefinition> = async (words, flags) =>
  await pin(true, words, flags);

export const unpinRevision: Run<typeof unpinRevisionDefinition> = async (words, flags) =>
  await pin(false, words, flags);

export const rollout: Run<typeof rolloutDefinition> = async ([name], flags) => {
  const session = openSession(flags);
  const app = appReference(session, name);
  return await show((signal) => clientOf(session).rollout(app, signal), flags);
};

async function pin(
  isPinned: boolean,
  [name, revision]: [string, string],
  flags: Flags,
): Promise<number> {
  const session = openSession(flags);
  const app = appReference(session, name);
  await clientOf(session).pinRevision(app, revision, isPinned);
  printAnswer(flags, {
    document: { app, revision, isPinned },
    text: `${revision} of ${app} is ${isPinned ? "pinned" : "no longer pinned"}\n`,
    names: [revision],
  });
  return exitCodes.ok;
}

async function activate(name: string, revision: string, flags: Flags): Promise<number> {
  const session = openSession(flags);
  const request: RolloutRequest = {
    revision,
    strategy: flags.strategy,
    isDetached: flags.detach,
    smoke: flags.smoke,
  };
  const app = appReference(session, name);
  return await show((signal) => clientOf(session).activate(app, request, signal), flags);
}

async function show(
  begin: (signal: AbortSignal) => AsyncIterable<DeployEvent>,
  flags: Flags,
): Promise<number> {
  const progress = new DeployProgress(process.stderr, flags.quiet === true);
  const result = await followDeployment(begin, progress);
  printAnswer(flags, { document: result, text: resultText(result), names: [result.revision] });
  return exitCodes.ok;
}

function resultText({ app, revision, status, previous }: DeployResult): string {
  const before = previous === undefined ? "" : ` (was ${previous})`;
  if (status === "rolling_out") return `${app} switches to ${revision} once it is verified\n`;
  return `${app} serves ${revision}${status === "no_change" ? " as before" : before}\n`;
}
