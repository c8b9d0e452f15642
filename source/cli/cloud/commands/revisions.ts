// deployctl apps list-rev, set-rev, delete-rev, pin-rev, unpin-rev and rollout, and rollback.

import { formatRelativeTime } from "../../../base/formats.ts";
import type { DeployEvent, DeployResult, RolloutRequest } from "../../../cloud/admin/documents.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { DeployProgress } from "../deploy-progress.ts";
import { sharesText } from "../deploy-summary.ts";
import type { Flags } from "../flags.ts";
import { followDeployment } from "../follow-deployment.ts";
import { printAnswer } from "../print.ts";
import { openApp } from "../target.ts";
import type { revisionCommands, rollbackCommand } from "./revisions.definition.ts";

export const listRevisions: Run<typeof revisionCommands.listRevisions> = async ([name], flags) => {
  const { client, app } = openApp(flags, name);
  const revisions = await client.revisions(app);
  const rows = revisions.map(({ revision, state, isPinned, createdAt, message, reason }) => [
    revision,
    isPinned ? `${state} (pinned)` : state,
    formatRelativeTime(createdAt),
    reason ?? message ?? "",
  ]);
  printAnswer(flags, {
    document: { revisions },
    text: formatTable(["revision", "state", "created", "message"], rows),
    names: revisions.map(({ revision }) => revision),
  });
};

export const setRevision: Run<typeof revisionCommands.setRevision> = async (words, flags) =>
  await activate(...words, flags);

export const rollback: Run<typeof rollbackCommand.rollback> = async ([name], flags) =>
  await activate(name, "previous", flags);

export const deleteRevision: Run<typeof revisionCommands.deleteRevision> = async (
  [name, revision],
  flags,
) => {
  const { client, app } = openApp(flags, name);
  await client.deleteRevision(app, revision);
  printAnswer(flags, {
    document: { app, revision, deleted: true },
    text: `deleted ${revision} of ${app}\n`,
    names: [revision],
  });
};

export const pinRevision: Run<typeof revisionCommands.pinRevision> = async (words, flags) =>
  await pin(true, words, flags);

export const unpinRevision: Run<typeof revisionCommands.unpinRevision> = async (words, flags) =>
  await pin(false, words, flags);

export const rollout: Run<typeof revisionCommands.rollout> = async ([name], flags) => {
  const { client, app } = openApp(flags, name);
  await followRollout((signal) => client.rollout(app, signal), flags);
};

async function pin(
  isPinned: boolean,
  [name, revision]: [string, string],
  flags: Flags,
): Promise<void> {
  const { client, app } = openApp(flags, name);
  await client.pinRevision(app, revision, isPinned);
  printAnswer(flags, {
    document: { app, revision, isPinned },
    text: `${revision} of ${app} is ${isPinned ? "pinned" : "no longer pinned"}\n`,
    names: [revision],
  });
}

async function activate(name: string, revision: string, flags: Flags): Promise<void> {
  const { client, app } = openApp(flags, name);
  const request: RolloutRequest = {
    revision,
    strategy: flags.strategy,
    isDetached: flags.detach,
    smoke: flags.smoke,
  };
  await followRollout((signal) => client.activate(app, request, signal), flags);
}

/** Shows the change to a revision, and prints its result. */
export async function followRollout(
  begin: (signal: AbortSignal) => AsyncIterable<DeployEvent>,
  flags: Flags,
): Promise<void> {
  const progress = new DeployProgress(process.stderr, flags.quiet === true);
  const result = await followDeployment(begin, progress);
  printAnswer(flags, { document: result, text: resultText(result), names: [result.revision] });
}

function resultText({ app, revision, status, previous, traffic }: DeployResult): string {
  const before = previous === undefined ? "" : ` (was ${previous})`;
  if (status === "split" && traffic !== undefined) return `${app}: ${sharesText(traffic)}\n`;
  if (status === "rolling_out") return `${app} switches to ${revision} once it is verified\n`;
  return `${app} serves ${revision}${status === "no_change" ? " as before" : before}\n`;
}
