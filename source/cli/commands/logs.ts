// modelctl logs: requests to the running server, and with --follow each further one when it ends, after
// the progress of its prompt.
import { setTimeout as wait } from "node:timers/promises";
import { shownModel, toOneLine } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import type { ApiClient, RequestQuery } from "../../client/api-client.ts";
import { clientErrors } from "../../client/errors.ts";
import { formatRequestLine, isRequestRecord, readingProgress } from "../../client/requests.ts";
import type { RequestRecord } from "../../request-log/request-record.ts";
import { interruptible } from "../interruptible.ts";
import type { CommandFlags, Run } from "../program/definition.ts";
import { ProgressLines } from "../progress-lines.ts";
import { findNamedServer, findRunningServer } from "../running-server.ts";
import { type CommandSettings, readSettings } from "../session-settings.ts";
import type { serverCommands } from "./server.definition.ts";

const usualLimit = 50;
/** Number of past requests shown with --follow. */
const usualLimitBefore = 10;
const retryMs = 500;

type Flags = CommandFlags<typeof serverCommands.logs>;

export const logs: Run<typeof serverCommands.logs> = async (_words, flags) => {
  const limit = flags.limit ?? (flags.follow ? usualLimitBefore : usualLimit);
  const query = { filter: flags.filter, limit };
  const settings = readSettings(flags);
  const client = await findNamedServer(flags, settings);
  if (client === undefined) throw nobodyThere();
  const print = (record: RequestRecord) => {
    process.stdout.write(flags.json ? `${JSON.stringify(record)}\n` : lineOf(record));
  };
  if (flags.follow) {
    return await interruptible((signal) => follow(client, query, print, flags, settings, signal));
  }
  for (const record of await client.requests(query)) if (isRequestRecord(record)) print(record);
};

/** Follows the log until Ctrl+C, also across servers. */
async function follow(
  first: ApiClient,
  query: RequestQuery,
  print: (record: RequestRecord) => void,
  flags: Flags,
  settings: CommandSettings,
  signal: AbortSignal,
): Promise<never> {
  const beganAt = Date.now();
  const progress = new ProgressLines(process.stderr);
  const printed = new Set<string>();
  for (let client = first; ; ) {
    // After a reconnect, prints requests that ended meanwhile, but no older ones.
    const isFirst = client === first;
    try {
      const wanted = isFirst ? query : { filter: query.filter };
      for await (const record of client.followRequests(wanted, signal)) {
        if (!isRequestRecord(record)) continue;
        showReading(progress, record);
        if (record.state === "running") continue;
        if (!isFirst && record.startedAt < beganAt) continue;
        const key = `${record.startedAt} ${record.id}`;
        if (!printed.has(key)) progress.above(() => print(record));
        printed.add(key);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isServerGone(error)) throw error;
    } finally {
      progress.clear();
    }
    process.stderr.write("Connection lost; waiting for the server.\n");
    client = await findNext(flags, settings, signal);
  }
}

/** Shows the progress of a request whose prompt is being read, and removes that of any other. */
function showReading(progress: ProgressLines, record: RequestRecord): void {
  const { id, model = "" } = record;
  const reading = readingProgress(record);
  if (reading === undefined) progress.remove(id);
  else {
    const { readTokens, promptTokens } = reading;
    progress.bar(id, `${id} ${shownModel(model)} reading`, readTokens, promptTokens, "tokens");
  }
}

async function findNext(
  flags: Flags,
  settings: CommandSettings,
  signal: AbortSignal,
): Promise<ApiClient> {
  while (true) {
    await wait(retryMs, undefined, { signal });
    const found = await findRunningServer(flags, settings);
    if (found !== undefined) return found;
  }
}

function isServerGone(error: unknown): boolean {
  const codes: string[] = [clientErrors.unreachable.code, clientErrors.vanished.code];
  return error instanceof ProductError && codes.includes(error.code);
}

/** Formats a request after the time of day. */
function lineOf(record: RequestRecord): string {
  const time = new Date(record.startedAt).toTimeString().slice(0, 8);
  return `${time}  ${toOneLine(formatRequestLine(record))}\n`;
}

function nobodyThere(): ProductError {
  return new ProductError(clientErrors.unreachable, {
    message: "No modelctl server is running.",
    hint: "Start one with: modelctl serve. Or name one with --connect.",
  });
}
