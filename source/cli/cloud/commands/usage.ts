// deployctl usage: usage and cost of apps.
import { formatCount, formatMilliseconds } from "../../../base/formats.ts";
import { exitCodes } from "../../../base/product-error.ts";
import type { UsageDocument } from "../../../cloud/admin/documents.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { printAnswer } from "../print.ts";
import { appReference } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import type { usageDefinition } from "./logs.definition.ts";

const usualSpanMs = 24 * 3_600_000;

export const usage: Run<typeof usageDefinition> = async ([word], flags) => {
  const session = openSession(flags);
  const sinceMs = Date.now() - (flags.since ?? usualSpanMs);
  const rows = await clientOf(session).usage({
    app: word === undefined ? undefined : appReference(session, word),
    sinceMs,
  });
  printAnswer(flags, {
    document: { since: new Date(sinceMs).toISOString(), usage: rows },
    text: usageTable(rows),
    names: rows.map(({ organisation, app }) => `${organisation}/${app}`),
  });
  return exitCodes.ok;
};

const headers = [
  "app",
  "requests",
  "4xx",
  "5xx",
  "ttfb p50",
  "ttfb p95",
  "tokens in",
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
      String(row.clientErrors),
      String(row.errors),
      timeText(row.ttfbMsP50),
      timeText(row.ttfbMsP95),
      formatCount(row.inputTokens),
      formatCount(row.outputTokens),
      secondsText(row.gpuSeconds.busy),
      `${secondsText(row.gpuSeconds.idle)}${idleShare(row.gpuSeconds)}`,
      secondsText(row.gpuSeconds.starting),
      row.cost === undefined ? "-" : costText(row),
    ]),
  );
}

/** Returns the share of time that replicas were idle. */
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
