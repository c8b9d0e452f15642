// deployctl queue list, show, cancel, purge: requests that were submitted to apps.
import { toOneLine } from "../../../base/display-text.ts";
import { formatBytes, formatRelativeTime } from "../../../base/formats.ts";
import type { QueuedRequestDocument } from "../../../cloud/admin/documents.ts";
import type { Run } from "../../program/definition.ts";
import { formatLabels, formatTable } from "../../table.ts";
import { printAnswer } from "../print.ts";
import { appReference } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf, openApp } from "../target.ts";
import type { queueCommands } from "./queue.definition.ts";

export const listQueue: Run<typeof queueCommands.listQueue> = async ([word], flags) => {
  const session = openSession(flags);
  const app = word === undefined ? undefined : appReference(session, word);
  const all = await clientOf(session).queuedRequests({ app, lines: flags.lines });
  const state = flags.state?.toUpperCase();
  const requests = all.filter((request) => state === undefined || request.state === state);
  printAnswer(flags, {
    document: { requests },
    text: requestTable(requests, Date.now()),
    names: requests.map(({ id }) => id),
  });
};

export const showQueued: Run<typeof queueCommands.showQueued> = async ([id], flags) => {
  const request = await clientOf(openSession(flags)).queuedRequest(id);
  printAnswer(flags, { document: request, text: detailsText(request, Date.now()), names: [id] });
};

export const cancelQueued: Run<typeof queueCommands.cancelQueued> = async ([id], flags) => {
  const request = await clientOf(openSession(flags)).cancelQueued(id);
  printAnswer(flags, { document: request, text: `cancelled ${id}\n`, names: [id] });
};

export const purgeQueue: Run<typeof queueCommands.purgeQueue> = async ([name], flags) => {
  const { client, app } = openApp(flags, name);
  const { cancelled, deleted } = await client.purgeQueue(app);
  printAnswer(flags, {
    document: { app, cancelled, deleted },
    text: `${app}: cancelled ${cancelled}, deleted ${deleted}\n`,
    names: [app],
  });
};

function requestTable(requests: readonly QueuedRequestDocument[], nowMs: number): string {
  const rows = requests.map((request) => [
    request.id,
    `${request.organisation}/${request.app}`,
    request.state,
    request.position === undefined ? "-" : String(request.position),
    request.status === undefined ? "-" : String(request.status),
    formatRelativeTime(request.submittedAt, nowMs),
    request.replica ?? "-",
    toOneLine(request.error ?? request.webhook?.fault ?? ""),
  ]);
  const headers = ["id", "app", "state", "position", "status", "submitted", "replica", "detail"];
  return formatTable(headers, rows);
}

function detailsText(request: QueuedRequestDocument, nowMs: number): string {
  const { webhook } = request;
  const time = (at: number | undefined) => at && formatRelativeTime(at, nowMs);
  const flags = [
    request.isLowPriority ? "low priority" : undefined,
    request.isRepeatable ? "may run twice" : undefined,
  ].filter((flag) => flag !== undefined);
  const rows: [label: string, text: string | number | undefined][] = [
    ["Request", request.id],
    ["App", `${request.organisation}/${request.app}`],
    ["Path", request.path],
    ["State", request.state],
    ["Position", request.position],
    ["Options", flags.length === 0 ? undefined : flags.join(", ")],
    ["Key", request.keyId],
    ["Submitted", time(request.submittedAt)],
    ["Start by", request.startedAt === undefined ? time(request.startBy) : undefined],
    ["Started", time(request.startedAt)],
    ["Completed", time(request.endedAt)],
    ["Expires", time(request.expiresAt)],
    ["Replica", request.replica],
    ["Attempts", request.attempts],
    ["Status", request.status],
    ["Error", request.error],
    ["Size", `${formatBytes(request.requestBytes)}, result ${formatBytes(request.resultBytes)}`],
    ["Webhook", webhook && `${webhook.url} (${webhook.state ?? "after completion"})`],
    ["Attempts there", webhook?.attempts],
    ["Next attempt", webhook?.state === "pending" ? time(webhook.nextAt) : undefined],
    ["Last failure", webhook?.fault],
  ];
  const shown = rows.filter((row): row is [string, string | number] => row[1] !== undefined);
  return formatLabels(
    shown.map(([label, text]) => [label, toOneLine(String(text))] as const),
    16,
  );
}
