// deployctl apps list-rev, set-rev, delete-rev, rollout, and rollback: an app's revisions.
import { exitCodes } from "../../../base/product-error.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import type { RolloutRequest } from "../../../cloud/admin/admin-client.ts";
import type { DeployEvent, DeployResult } from "../../../cloud/admin/documents.ts";
import { formatTable } from "../../table.ts";
import { appReference } from "../app-reference.ts";
import { DeployProgress } from "../deploy-progress.ts";
import type { Flags } from "../flags.ts";
import { followDeployment } from "../follow-deployment.ts";
import { printAnswer } from "../print.ts";
import { readChoice } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import { oneWord, twoWords } from "../words.ts";

export async function listRevisions(words: string[], flags: Flags): Promise<number> {
  const session = openSession(flags);
  const app = appReference(session, oneWord("apps list-rev", "APP", words));
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
}

export async function setRevision(words: string[], flags: Flags): Promise<number> {
  const [app, revision] = twoWords("apps set-rev", ["APP", "REVISION"], words);
  return await activate(app, revision, flags);
}

export async function rollback(words: string[], flags: Flags): Promise<number> {
  return await activate(oneWord("rollback", "APP", words), "previous", flags);
}

export async function deleteRevision(words: string[], flags: Flags): Promise<number> {
  const session = openSession(flags);
  const [name, revision] = twoWords("apps delete-rev", ["APP", "REVISION"], words);
  const app = appReference(session, name);
  await clientOf(session).deleteRevision(app, revision);
  printAnswer(flags, {
    document: { app, revision, deleted: true },
    text: `deleted ${revision} of ${app}\n`,
    names: [revision],
  });
  return exitCodes.ok;
}

export async function pinRevision(words: string[], flags: Flags): Promise<number> {
  return await pin("apps pin-rev", true, words, flags);
}

export async function unpinRevision(words: string[], flags: Flags): Promise<number> {
  return await pin("apps unpin-rev", false, words, flags);
}

export async function rollout(words: string[], flags: Flags): Promise<number> {
  const session = openSession(flags);
  const app = appReference(session, oneWord("apps rollout", "APP", words));
  return await show((signal) => clientOf(session).rollout(app, signal), flags);
}

async function pin(
  command: string,
  isPinned: boolean,
  words: string[],
  flags: Flags,
): Promise<number> {
  const session = openSession(flags);
  const [name, revision] = twoWords(command, ["APP", "REVISION"], words);
  const app = appReference(session, name);
  await clientOf(session).pinRevision(app, revision, isPinned);
  printAnswer(flags, {
    document: { app, revision, isPinned },
    text: `${revision} of ${app} is ${isPinned ? "kept for good" : "no longer kept for good"}\n`,
    names: [revision],
  });
  return exitCodes.ok;
}

async function activate(name: string, revision: string, flags: Flags): Promise<number> {
  const session = openSession(flags);
  const request: RolloutRequest = {
    revision,
    strategy: readChoice("--strategy", flags.strategy, ["rolling", "recreate"]),
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
  const before = previous === undefined ? "" : `; before it was ${previous}`;
  if (status === "rolling_out") return `${app} goes over to ${revision} once it is verified\n`;
  return `${app} serves ${revision}${status === "no_change" ? " as before" : before}\n`;
}
