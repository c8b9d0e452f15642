// Actions on requests of the log: cancel, copy, send again, export.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { formatBytes } from "../../../base/byte-format.ts";
import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import { cancelRequest, type RequestView, requestTexts } from "../../../client/requests.ts";
import type { FrameServices } from "../../frame/screen.ts";
import { curlCommand, exampleCall } from "./curl-command.ts";
import type { DetailTexts } from "./request-text.ts";

export interface RequestActionsOptions {
  readonly client: () => ApiClient;
  readonly frame: Pick<FrameServices, "ask" | "confirm" | "copy" | "notify">;
}

const bodyNotKept =
  "The body of this request was not kept. A server that is started with MODELCTL_LOG_PROMPTS=1 keeps bodies";

const replayedMethods = ["GET", "POST", "DELETE"] as const;

export class RequestActions {
  readonly #options: RequestActionsOptions;
  readonly #ending = new AbortController();

  constructor(options: RequestActionsOptions) {
    this.#options = options;
  }

  async cancel({ id, model, path }: RequestView): Promise<string | undefined> {
    const what = `${id}, ${path}${model === undefined ? "" : ` to ${model}`}`;
    const isSure = await this.#options.frame.confirm(
      `Cancel ${what}? Its client gets what there is of the answer.`,
    );
    if (!isSure) return undefined;
    return await orProblem(async () => {
      await cancelRequest(this.#options.client(), id);
      return `Cancelled ${id}`;
    });
  }

  async copyCurl(view: RequestView): Promise<string> {
    const { client, frame } = this.#options;
    const texts = await readTexts(client(), view);
    const body = texts.kind === "read" ? texts.texts.body : undefined;
    const { url, key } = client().connection;
    const copied = await frame.copy(curlCommand(view, { url, body, needsKey: key !== undefined }));
    const isWhole = body !== undefined || view.method === "GET";
    return isWhole ? copied : `${copied}; put in what was said, the server did not keep it`;
  }

  /** A call to try, while there are no requests. */
  async copyExample(): Promise<string> {
    const { client, frame } = this.#options;
    return await frame.copy(exampleCall(client().connection.url));
  }

  async copyJson(view: RequestView): Promise<string> {
    return await this.#options.frame.copy(JSON.stringify(view, undefined, 2));
  }

  async replay(view: RequestView): Promise<string | undefined> {
    const method = replayedMethods.find((name) => name === view.method);
    if (method === undefined) return `A ${view.method} request cannot be sent once more`;
    const { client, frame } = this.#options;
    let body: string | undefined;
    const readBody = async (): Promise<string> => {
      const texts = await readTexts(client(), view);
      if (texts.kind === "failed") throw new Error(texts.sentence);
      body = texts.kind === "read" ? texts.texts.body : undefined;
      if (body === undefined && method !== "GET") throw new Error(bodyNotKept);
      return body === undefined ? "" : `${formatBytes(Buffer.byteLength(body))} are sent.`;
    };
    const question = `Send ${view.method} ${view.path} to the server once more?`;
    if (!(await frame.confirm(question, readBody()))) return undefined;
    const sent = body === undefined ? undefined : (JSON.parse(body) as unknown);
    // The answer may take minutes: it is told of when it has come.
    client()
      .send({ method, path: view.path, body: sent }, this.#ending.signal)
      .then(
        (status) => frame.notify(`The replay of ${view.id} ended with status ${status}`),
        (error: unknown) => {
          if (!this.#ending.signal.aborted) frame.notify(describeError(error));
        },
      );
    return `Sent ${view.id} once more`;
  }

  async exportAll(views: readonly RequestView[]): Promise<string | undefined> {
    const { frame } = this.#options;
    const count = `${views.length} ${views.length === 1 ? "request" : "requests"}`;
    const answer = await frame.ask(`Write ${count} as JSON lines into`, "requests.ndjson");
    if (answer === undefined || answer.trim() === "") return undefined;
    const file = path.resolve(answer.trim());
    const text = views.map((view) => `${JSON.stringify(view)}\n`).join("");
    return await orProblem(async () => {
      if (!(await writeNew(file, text))) {
        if (!(await frame.confirm(`${file} is there already. Replace it?`))) return undefined;
        await writeFile(file, text);
      }
      return `Wrote ${count} into ${file}`;
    });
  }

  /** A replay that still runs is ended. */
  close(): void {
    this.#ending.abort();
  }
}

/** Reads prompt, answer and body from the server. */
export async function readTexts(client: ApiClient, { id }: RequestView): Promise<DetailTexts> {
  try {
    return { kind: "read", texts: await requestTexts(client, id) };
  } catch (error) {
    return { kind: "failed", sentence: describeError(error) };
  }
}

/** @returns what the work says, or why it failed */
async function orProblem(work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work();
  } catch (error) {
    return describeError(error);
  }
}

/** @returns false when there is such a file already */
async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
