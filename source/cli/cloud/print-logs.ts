// Prints an app's log, and follows it.
import { setTimeout as wait } from "node:timers/promises";
import { isUnreachable } from "../../application/cloud-host/cloud-server.ts";
import { showControls } from "../../base/display-text.ts";
import type { AdminClient, AppReference } from "../../cloud/admin/admin-client.ts";
import type { LogDocument } from "../../cloud/admin/documents.ts";
import { usageError } from "../errors.ts";
import { interruptible } from "../interruptible.ts";
import type { LogFlags } from "./flags.ts";
import { tell } from "./print.ts";

const usualLines = 100;
const retryMs = 500;

/** Follows the log until Ctrl+C, also across restarts of the control plane. */
export async function printLogs(
  client: AdminClient,
  app: AppReference,
  flags: LogFlags,
): Promise<void> {
  const { follow, json, search, rev: revision, replica, since: spanMs } = flags;
  const filter = { revision, replica, search, follow };
  let lines = readLines(flags.lines, spanMs);
  let sinceMs = spanMs === undefined ? undefined : Date.now() - spanMs;
  const seen = new Map<string, number>();
  await interruptible(async (signal) => {
    while (true) {
      try {
        for await (const line of client.logs(app, { ...filter, lines, sinceMs, signal })) {
          if (line.seq <= (seen.get(line.replica) ?? -1)) continue;
          seen.set(line.replica, line.seq);
          sinceMs = line.ts;
          process.stdout.write(json ? `${JSON.stringify(line)}\n` : logLineText(line));
        }
        return signal.throwIfAborted();
      } catch (error) {
        signal.throwIfAborted();
        if (!follow || !isUnreachable(error) || seen.size === 0) throw error;
      }
      tell(flags, "Connection lost; waiting for the server.");
      await answered(client, signal);
      // Prints all missed lines.
      lines = undefined;
    }
  });
}

async function answered(client: AdminClient, signal: AbortSignal): Promise<void> {
  while (true) {
    await wait(retryMs, undefined, { signal });
    try {
      await client.status(signal);
      return;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
  }
}

/** Formats a line: the time of day, the end of the replica's id, the text. */
export function logLineText({ ts, replica, stream, text }: LogDocument): string {
  const time = new Date(ts).toTimeString().slice(0, 8);
  const mark = stream === "event" ? "*" : " ";
  return `${time} ${replica.slice(-8).padEnd(8)} ${mark} ${showControls(text)}\n`;
}

/** Returns the number of lines: all within a time span, else 100. */
function readLines(text: string | undefined, sinceMs: number | undefined): number | undefined {
  if (text === "all") return undefined;
  if (text === undefined) return sinceMs === undefined ? usualLines : undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(
    `--lines does not accept '${text}'.`,
    "Use a whole number of at least 1, or all.",
  );
}
