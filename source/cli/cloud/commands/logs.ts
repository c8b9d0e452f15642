// deployctl logs: output of an app's replicas, or events of the server.
import { toOneLine } from "../../../base/display-text.ts";
import { exitCodes } from "../../../base/product-error.ts";
import type { EventDocument } from "../../../cloud/admin/documents.ts";
import { usageError } from "../../errors.ts";
import type { Run } from "../../program/definition.ts";
import type { LogFlags } from "../flags.ts";
import { printLogs } from "../print-logs.ts";
import { appReference } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import type { logsDefinition } from "./logs.definition.ts";

const usualEventSpanMs = 24 * 3_600_000;

export const logs: Run<typeof logsDefinition> = async ([word], flags) => {
  const session = openSession(flags);
  const app = word === undefined ? undefined : appReference(session, word);
  if (flags.events) return await printEvents(app, flags);
  if (app === undefined) {
    throw usageError("logs needs an app.", "deployctl logs APP, or deployctl logs --events");
  }
  return await printLogs(clientOf(session), app, flags);
};

async function printEvents(app: string | undefined, flags: LogFlags): Promise<number> {
  const { json, follow } = flags;
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  const { signal } = interrupted;
  const sinceMs = Date.now() - (flags.since ?? usualEventSpanMs);
  const events = clientOf(openSession(flags)).events({ app, follow, sinceMs, signal });
  for await (const event of events) {
    process.stdout.write(json ? `${JSON.stringify(event)}\n` : eventText(event));
  }
  return signal.aborted ? exitCodes.interrupted : exitCodes.ok;
}

function eventText({ at, organisation, app, revision, kind, sentence }: EventDocument): string {
  const time = new Date(at).toTimeString().slice(0, 8);
  const place =
    revision === undefined ? `${organisation}/${app}` : `${organisation}/${app} ${revision}`;
  return `${time} ${place} ${kind}: ${toOneLine(sentence)}\n`;
}
