// Smoke test: requests to a new replica before it serves others, such as `GET /v1/models`.
import { quoteShort } from "../../base/display-text.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { http } from "../../base/node-http.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import { readEndpoint } from "../replica-address.ts";
import {
  apiOfOtherServer,
  type DeployedScript,
  type ServedApi,
  servedModel,
} from "../served-api.ts";

const limitMs = 60_000;
/** Short, as a server that is no model server may never answer. */
const apiLimitMs = 5_000;
/** Statuses of a server without chats, or of a model that cannot chat. */
const noChat: ReadonlySet<number> = new Set([400, 404, 405, 422, 501]);
const bodyMaximumBytes = 1024 * 1024;
/** Rejects two leading slashes, which would name another host. */
const smokePattern = /^(GET|HEAD) (\/(?!\/)[\x21-\x7e]*)$/;

/** @throws ProductError `CLOUD_REQUEST_INVALID` */
export function checkSmoke(smoke: string): void {
  if (smokePattern.test(smoke)) return;
  throw new ProductError(cloudErrors.requestInvalid, {
    message: `Invalid smoke test ${quoteShort(smoke)}: expected a request such as "GET /v1/models".`,
    param: "smoke",
  });
}

/** A new replica, as the gateway would reach it. */
export interface SmokeTarget {
  endpoint: string;
  /** Header of a server with a key of its own. */
  authorization: string | undefined;
  signal: AbortSignal;
}

/** @returns the failure, as part of a sentence; undefined on success */
export async function askSmoke(target: SmokeTarget, smoke: string): Promise<string | undefined> {
  const [, method = "GET", path = "/"] = smokePattern.exec(smoke) ?? [];
  const { signal } = target;
  try {
    const { status } = await ask(target, { method, path, limitMs });
    return status >= 200 && status < 400 ? undefined : `answered ${smoke} with status ${status}`;
  } catch (error) {
    if (signal.aborted) throw error;
    return `did not answer ${smoke} (${describeError(error)})`;
  }
}

/**
 * Finds out whether the server can chat: it lists models, and one answers with a token.
 *
 * @returns undefined without an answer
 */
export async function askApi(
  target: SmokeTarget,
  script: DeployedScript,
): Promise<ServedApi | undefined> {
  const request = { method: "GET", path: "/v1/models", limitMs: apiLimitMs };
  const reply = await askCalmly(target, request);
  if (reply === undefined) return undefined;
  const model = servedModel(script, modelsIn(reply));
  if (model === undefined || !(await canChat(target, model))) return apiOfOtherServer(script);
  return { kind: "openai", model };
}

/** Returns false only for a server that refuses chats. A slow or failing one may still be able to chat. */
async function canChat(target: SmokeTarget, model: string): Promise<boolean> {
  const body = { model, messages: [{ role: "user", content: "Hello!" }], max_tokens: 1 };
  const request = { method: "POST", path: "/v1/chat/completions", limitMs: apiLimitMs };
  const reply = await askCalmly(target, { ...request, body: JSON.stringify(body) });
  return reply === undefined || !noChat.has(reply.status);
}

function modelsIn({ status, text }: Reply): string[] {
  const document = status === 200 ? parseJson(text) : undefined;
  const { data } = isRecord(document) ? document : {};
  const entries: unknown[] = Array.isArray(data) ? data : [];
  const ids = entries.map((entry) => (isRecord(entry) ? entry.id : undefined));
  return ids.filter((id) => typeof id === "string");
}

/** @returns undefined without an answer */
async function askCalmly(target: SmokeTarget, request: Request): Promise<Reply | undefined> {
  return await ask(target, request).catch((error: unknown) => {
    if (target.signal.aborted) throw error;
    return undefined;
  });
}

interface Request {
  method: string;
  path: string;
  limitMs: number;
  /** JSON. */
  body?: string;
}

interface Reply {
  status: number;
  /** Up to a limit. */
  text: string;
}

async function ask(
  { endpoint, authorization, signal }: SmokeTarget,
  { method, path, limitMs, body }: Request,
): Promise<Reply> {
  return await new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const { hostname, port, prefix } = readEndpoint(endpoint);
    const address = { hostname, port, path: `${prefix}${path}` };
    const headers = {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const options = { ...address, method, headers, agent: false as const, signal: limit };
    const outgoing = http.request(options, (reply) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      reply.on("data", (part: Buffer) => {
        if (bytes < bodyMaximumBytes) parts.push(part);
        bytes += part.length;
      });
      reply.once("error", reject);
      reply.once("end", () => {
        resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(parts).toString() });
      });
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}
