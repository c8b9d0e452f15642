// Formats requests as curl commands.

import { quoteForShell } from "../../../base/quoting.ts";
import type { RequestRecord } from "../../../request-log/request-record.ts";

export interface CurlOptions {
  readonly url: string;
  /** The body as received; undefined if it was not recorded. */
  readonly body: string | undefined;
  readonly needsKey: boolean;
}

/** Returns a command for any POSIX shell, which reads the key from the environment. */
export function curlCommand(view: RequestRecord, { url, body, needsKey }: CurlOptions): string {
  const lines = [`curl ${quoteForShell(url + view.path)}`];
  if (view.method !== "GET" && view.method !== "POST") lines.push(`-X ${view.method}`);
  if (needsKey) lines.push('-H "Authorization: Bearer $MODELCTL_KEY"');
  const sent = body ?? (view.method === "GET" ? undefined : skeleton(view));
  if (sent !== undefined)
    lines.push(`-H 'content-type: application/json' -d ${quoteForShell(sent)}`);
  return lines.join(" \\\n  ");
}

export function exampleCall(url: string): string {
  const body = { model: "tiny", messages: [{ role: "user", content: "Hi" }] };
  return `curl ${url}/v1/chat/completions -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}

/** Returns the known parts of a body that was not recorded. */
function skeleton({ path, model, parameters, stream }: RequestRecord): string {
  const isNative = path.startsWith("/api/");
  const said =
    path.includes("chat") || path.includes("messages")
      ? { messages: [{ role: "user", content: "…" }] }
      : { prompt: "…" };
  return JSON.stringify({
    model: model ?? "…",
    ...said,
    stream,
    ...(parameters !== undefined && isNative && { options: parameters }),
  });
}
