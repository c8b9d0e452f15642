// deployctl logs: output of an app's replicas, or events of the server; and usage: cost of apps.
import { toOneLine } from "../../../base/display-text.ts";
import { formatCount, formatMilliseconds } from "../../../base/formats.ts";
import type { AnswerCounts, EventDocument, UsageDocument } from "../../../cloud/admin/documents.ts";
import { environmentOf } from "../../../cloud/app-name.ts";
import { usageError } from "../../errors.ts";
import { interruptible } from "../../interruptible.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import type { LogFlags } from "../flags.ts";
import { printAnswer } from "../print.ts";
import { printLogs } from "../print-logs.ts";
import { appReference } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf, listedEnvironment } from "../target.ts";
import type { logCommands } from "./logs.definition.ts";

const usualSpanMs = 24 * 3_600_000;

export const logs: Run<typeof logCommands.logs> = async ([word], flags) => {
  const session = openSession(flags);
  const app = word === undefined ? undefined : appReference(session, word);
  if (flags.events) return await printEvents(app, flags);
  if (app === undefined) {
    throw usageError(
      "logs needs an app.",
      "For example: deployctl logs APP, or deployctl logs --events",
    );
  }
  return await printLogs(clientOf(session), app, flags);
};

async function printEvents(app: string | undefined, flags: LogFlags): Promise<void> {
  const { json, follow } = flags;
  const sinceMs = Date.now() - (flags.since ?? usualSpanMs);
  await interruptible(async (signal) => {
    const events = clientOf(openSession(flags)).events({ app, follow, sinceMs, signal });
    for await (const event of events) {
      process.stdout.write(json ? `${JSON.stringify(event)}\n` : eventText(event));
    }
    signal.throwIfAborted();
  });
}

function eventText({ at, organisation, app, revision, kind, sentence }: EventDocument): string {
  const time = new Date(at).toTimeString().slice(0, 8);
  const place =
    revision === undefined ? `${organisation}/${app}` : `${organisation}/${app} ${revision}`;
  return `${time} ${place} ${kind}: ${toOneLine(sentence)}\n`;
}

export const usage: Run<typeof logCommands.usage> = async ([word], flags) => {
  const session = openSession(flags);
  const sinceMs = Date.now() - (flags.since ?? usualSpanMs);
  const all = await clientOf(session).usage({
    app: word === undefined ? undefined : appReference(session, word),
    sinceMs,
  });
  const environment = await listedEnvironment(session);
  const rows = all.filter(
    ({ app }) => environment === undefined || environmentOf(app) === environment,
  );
  printAnswer(flags, {
    document: { since: new Date(sinceMs).toISOString(), usage: rows },
    text: usageTable(rows) + (word === undefined ? "" : revisionsTable(rows)),
    names: rows.map(({ organisation, app }) => `${organisation}/${app}`),
  });
};

const headers = [
  "app",
  "requests",
  "queued",
  "4xx",
  "5xx",
  "ttfb p50",
  "ttfb p95",
  "tokens in",
  "cached",
  "tokens out",
  "gpu busy",
  "gpu idle",
  "gpu starting",
  "cost",
];

export function usageTable(rows: readonly UsageDocument[]): string {
  return formatTable(
    headers,
    rows.map((row) => [
      `${row.organisation}/${row.app}`,
      String(row.requests),
      String(row.queued),
      String(row.clientErrors),
      String(row.errors),
      timeText(row.ttfbMsP50),
      timeText(row.ttfbMsP95),
      formatCount(row.inputTokens),
      formatCount(row.cachedTokens),
      formatCount(row.outputTokens),
      secondsText(row.gpuSeconds.busy),
      `${secondsText(row.gpuSeconds.idle)}${idleShare(row.gpuSeconds)}`,
      secondsText(row.gpuSeconds.starting),
      row.cost === undefined ? "-" : costText(row),
    ]),
  );
}

/** Returns the answers of each revision, if there are several. */
function revisionsTable(rows: readonly UsageDocument[]): string {
  const all = rows.flatMap(({ revisions }) => (revisions.length > 1 ? revisions : []));
  if (all.length === 0) return "";
  const titles = ["revision", "requests", "4xx", "5xx", "ttfb p50", "ttfb p95"];
  const cells = all.map(({ revision, requests, clientErrors, errors, ttfbMsP50, ttfbMsP95 }) => [
    ...[revision, String(requests), String(clientErrors), String(errors)],
    ...[timeText(ttfbMsP50), timeText(ttfbMsP95)],
  ]);
  return `\n${formatTable(titles, cells)}`;
}

/** `40 requests, 1 4xx, 2 5xx, ttfb p50 12ms, p95 40ms` */
export function answersText(answers: AnswerCounts): string {
  const { requests, clientErrors, errors, ttfbMsP50, ttfbMsP95 } = answers;
  const counts = `${requests} requests, ${clientErrors} 4xx, ${errors} 5xx`;
  return ttfbMsP50 === undefined
    ? counts
    : `${counts}, ttfb p50 ${timeText(ttfbMsP50)}, p95 ${timeText(ttfbMsP95)}`;
}

function idleShare({ busy, idle, starting }: UsageDocument["gpuSeconds"]): string {
  const all = busy + idle + starting;
  return all === 0 ? "" : ` (${Math.round((idle / all) * 100)} %)`;
}

function costText({ cost = 0, inputTokens, outputTokens }: UsageDocument): string {
  const thousands = (inputTokens + outputTokens) / 1000;
  const each = thousands === 0 ? "" : ` (${(cost / thousands).toFixed(4)} per 1k tokens)`;
  return `${cost.toFixed(2)}${each}`;
}

function timeText(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "-" : formatMilliseconds(milliseconds);
}

function secondsText(seconds: number): string {
  return formatMilliseconds(seconds * 1000);
}
