// Replies to the queue's callers: commands that the gateway passes on over a Unix socket.
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { http } from "../../base/node-http.ts";
import { describeError } from "../../base/product-error.ts";
import type { Engine, LogLine } from "../engines/engine.ts";
import { type Refusal, refusalBody, refusalHeaders, statusOf } from "../gateway/refusals.ts";
import { isOfOneHop } from "../gateway/request-head.ts";
import { listenOnSocket } from "../http-socket.ts";
import type { QueueCommand } from "./queue-command.ts";
import { requestUrls, statusDocument } from "./queue-documents.ts";
import type { QueuedRequest } from "./queue-store.ts";
import type { RequestQueue, Submit } from "./request-queue.ts";
import { splitBody } from "./run-messages.ts";

export interface QueueServerOptions {
  queue: RequestQueue;
  engine: Pick<Engine, "logs">;
  log: (text: string) => void;
}

type Question = Exclude<QueueCommand, Submit | { action: "webhook-keys" }>;

/** Lines of a replica's log in a status. */
const logLines = 1000;
/** Interval at which a followed status looks at logs, and keeps its connection. */
const followMs = 1000;
const silenceMs = 15_000;

export class QueueServer {
  readonly #options: QueueServerOptions;
  readonly #server = http.createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => this.#fail(response, error));
  });

  constructor(options: QueueServerOptions) {
    this.#options = options;
  }

  async listen(socketPath: string): Promise<void> {
    await listenOnSocket(this.#server, socketPath);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { queue } = this.#options;
    const { document: command, body } = splitBody<QueueCommand>(await buffer(request));
    if (command.action === "webhook-keys") {
      sendJson(response, 200, queue.webhookKey.keySet());
    } else if (command.action === "submit") {
      this.#submit(command, body, response);
    } else {
      const found = queue.store.find(command.requestId);
      // Requests of others look like unknown ones.
      const isOwn =
        found?.organisation === command.organisation &&
        found.app === command.app &&
        found.caller === command.caller;
      if (isOwn) await this.#reply(command, found, response);
      else refuse(response, { ...notFound, status: 404 }, { status: "NOT_FOUND" });
    }
  }

  #submit(command: Submit, body: Buffer, response: ServerResponse): void {
    const { queue } = this.#options;
    const result = queue.submit(command, body);
    if ("type" in result) {
      refuse(response, result);
      return;
    }
    const { id } = result;
    const headers = { "x-fal-request-id": id };
    const urls = requestUrls(command.baseUrl, result);
    const position = { queue_position: queue.store.position(result) };
    sendJson(response, 200, { status: "IN_QUEUE", request_id: id, ...urls, ...position }, headers);
  }

  async #reply(command: Question, request: QueuedRequest, response: ServerResponse): Promise<void> {
    if (command.action === "status") {
      const status = request.state === "done" ? 200 : 202;
      sendJson(response, status, await this.#status(command, request));
    } else if (command.action === "follow") {
      await this.#follow(command, request.id, response);
    } else if (command.action === "cancel") {
      await this.#cancel(request, response);
    } else if (request.state === "done") {
      this.#sendResult(request, response);
    } else {
      refuse(response, inProgress);
    }
  }

  async #status(command: Question, request: QueuedRequest): Promise<Record<string, unknown>> {
    const logs = command.withLogs ? await this.#logs(request) : undefined;
    const position = this.#options.queue.store.position(request);
    return statusDocument(request, { baseUrl: command.baseUrl, position, logs });
  }

  /** Lines that the request's replica wrote while it worked on it. */
  async #logs(request: QueuedRequest): Promise<LogLine[]> {
    const { organisation, app, revision, replica, startedAt, endedAt } = request;
    if (replica === undefined || startedAt === undefined) return [];
    const query = { organisation, app, revision, replica, sinceMs: startedAt, follow: false };
    const lines: LogLine[] = [];
    for await (const line of this.#options.engine.logs({ ...query, lines: logLines })) {
      if (endedAt === undefined || line.ts <= endedAt) lines.push(line);
    }
    return lines;
  }

  /** Sends the status as an event whenever it changes, until the request has ended. */
  async #follow(command: Question, id: string, response: ServerResponse): Promise<void> {
    const { queue } = this.#options;
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
    let last = "";
    let sentAt = performance.now();
    while (!response.destroyed) {
      const request = queue.store.find(id);
      if (request === undefined) break;
      const text = JSON.stringify(await this.#status(command, request));
      if (text !== last) {
        response.write(`data: ${text}\n\n`);
        sentAt = performance.now();
      } else if (performance.now() - sentAt > silenceMs) {
        response.write(": keep-alive\n\n");
        sentAt = performance.now();
      }
      last = text;
      if (request.state === "done") break;
      await nextChange(queue, response);
    }
    response.end();
  }

  async #cancel(request: QueuedRequest, response: ServerResponse): Promise<void> {
    if (await this.#options.queue.cancel(request)) {
      sendJson(response, 202, { status: "CANCELLATION_REQUESTED" });
      return;
    }
    const detail = "The request has already completed.";
    sendJson(response, 400, { status: "ALREADY_COMPLETED", detail });
  }

  #sendResult(request: QueuedRequest, response: ServerResponse): void {
    const { id, status = 500, resultHeaders } = request;
    const body = this.#options.queue.store.body(id, "result");
    const headers = resultHeaders.filter((_, index) => {
      const name = (resultHeaders[index - (index % 2)] ?? "").toLowerCase();
      return !isOfOneHop(name) && !ownHeaders.has(name);
    });
    headers.push("X-Fal-Request-Id", id, "Content-Length", String(body.length));
    response.writeHead(status, headers);
    response.end(body);
  }

  #fail(response: ServerResponse, error: unknown): void {
    this.#options.log(`queue: ${describeError(error)}`);
    if (response.headersSent) response.destroy();
    else refuse(response, unwritable);
  }
}

/** Headers that this reply or the gateway sets itself. */
const ownHeaders = new Set(["content-length", "date", "x-dctl-request-id"]);

/** Resolves after a change of the queue, some time, or the caller's end. */
async function nextChange(queue: RequestQueue, response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = queue.onChange(resolve);
  const timer = setTimeout(resolve, followMs);
  response.once("close", resolve);
  await promise;
  response.off("close", resolve);
  clearTimeout(timer);
  stop();
}

function sendJson(
  response: ServerResponse,
  status: number,
  document: object,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(document);
  const type = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...type, ...headers });
  response.end(body);
}

function refuse(response: ServerResponse, refusal: Refusal, more: object = {}): void {
  const document = { ...JSON.parse(refusalBody(refusal, "")), request_id: undefined, ...more };
  const body = Buffer.from(JSON.stringify(document));
  const headers = refusalHeaders(refusal, "", body.length);
  // The gateway adds the id of its own request.
  const own = headers.filter((_, at) => headers[at - (at % 2)] !== "X-Dctl-Request-Id");
  response.writeHead(statusOf(refusal), own);
  response.end(body);
}

const notFound: Refusal = {
  type: "request_not_found",
  detail:
    "No such request: its id is wrong, its result has expired, or it is of another organisation.",
};

const inProgress: Refusal = {
  type: "request_in_progress",
  detail: "The request is still in progress. Ask for its status until that is COMPLETED.",
};

const unwritable: Refusal = {
  type: "queue_unavailable",
  detail: "The queue's database cannot be read or written. Try again later.",
  retryAfterSeconds: 30,
};
