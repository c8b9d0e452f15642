// Actions on requests of the log: cancel, copy, replay, export.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { formatBytes } from "../../../base/formats.ts";
import { describeError } from "../../../base/product-error.ts";
import { plural } from "../../../base/quantities.ts";
import { systemCode } from "../../../base/write-refusal.ts";
import { loadedValue } from "../../../client/live/loadable.ts";
import { cancelRequest, recordPrompts } from "../../../client/requests.ts";
import type { RequestRecord } from "../../../request-log/request-record.ts";
import { curlCommand, exampleCall } from "./curl-command.ts";
import type { ServerContext } from "./server-state.ts";

type ActionMessage = Promise<string | undefined>;

const bodyNotKept =
  "This request's body was not recorded. Press P to record new requests, or set log_prompts = true";

const replayedMethods = ["GET", "POST", "DELETE"] as const;

/** Cancels at once: the client gets the answer so far. */
export async function cancel({ client }: ServerContext, { id }: RequestRecord): ActionMessage {
  await cancelRequest(client(), id);
  return `Cancelled ${id}`;
}

/** Starts or stops recording, for all clients, until the server stops. */
export async function toggleRecording({ client, watch, frame }: ServerContext): ActionMessage {
  if (watch.sample?.isRecording === true) {
    if (!(await frame.confirm("Stop recording and delete the recordings?"))) return undefined;
    await recordPrompts(client(), false);
    return "Recording is off";
  }
  const question =
    "Record prompts, answers and bodies of all clients in memory until the server stops?";
  if (!(await frame.confirm(question))) return undefined;
  await recordPrompts(client(), true);
  return "Recording prompts and answers";
}

export async function copyCurl(context: ServerContext, view: RequestRecord): ActionMessage {
  const { client, frame, readTexts } = context;
  const texts = await readTexts(view);
  const body = loadedValue(texts)?.body;
  const { url, key } = client().connection;
  const copied = await frame.copy(curlCommand(view, { url, body, needsKey: key !== undefined }));
  const isWhole = body !== undefined || view.method === "GET";
  return isWhole ? copied : `${copied}; the body was not recorded`;
}

export async function copyExample({ client, frame }: ServerContext): ActionMessage {
  return await frame.copy(exampleCall(client().connection.url));
}

export async function copyJson({ frame }: ServerContext, view: RequestRecord): ActionMessage {
  return await frame.copy(JSON.stringify(view, undefined, 2));
}

export async function replay(context: ServerContext, view: RequestRecord): ActionMessage {
  const { client, frame, readTexts, closing } = context;
  const method = replayedMethods.find((name) => name === view.method);
  if (method === undefined) return `${view.method} requests cannot be replayed`;
  let body: string | undefined;
  const readBody = async (): Promise<string> => {
    const texts = await readTexts(view);
    if (texts.kind === "failed") throw new Error(texts.sentence);
    body = loadedValue(texts)?.body;
    if (body === undefined && method !== "GET") throw new Error(bodyNotKept);
    return body === undefined ? "" : `Sends ${formatBytes(Buffer.byteLength(body))}.`;
  };
  const question = `Replay ${view.method} ${view.path}?`;
  if (!(await frame.confirm(question, readBody()))) return undefined;
  const sent = body === undefined ? undefined : (JSON.parse(body) as unknown);
  // The answer may take minutes: a notice reports its end.
  client()
    .send({ method, path: view.path, body: sent }, closing)
    .then(
      (status) => frame.notify(`Replay of ${view.id} ended with status ${status}`),
      (error: unknown) => {
        if (!closing.aborted) frame.notify(describeError(error));
      },
    );
  return `Replaying ${view.id}`;
}

export async function exportRequests({ frame, listed: { shown } }: ServerContext): ActionMessage {
  const count = plural(shown.length, "request");
  const answer = await frame.ask(`Export ${count} as JSON lines to`, "requests.ndjson");
  if (answer === undefined || answer.trim() === "") return undefined;
  const file = path.resolve(answer.trim());
  const text = shown.map((view) => `${JSON.stringify(view)}\n`).join("");
  if (!(await writeNew(file, text))) {
    if (!(await frame.confirm(`Replace ${file}?`))) return undefined;
    await writeFile(file, text);
  }
  return `Exported ${count} to ${file}`;
}

/** @returns false if the file exists */
async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}
