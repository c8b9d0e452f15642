// Runs of queued requests: the gateway sends each to a replica, and holds its result until the control plane
// has stored it. A run goes on while no control plane is connected.
import { randomUUID } from "node:crypto";
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { formatMemory } from "../../base/formats.ts";
import { http } from "../../base/node-http.ts";
import { describeError } from "../../base/product-error.ts";
import { listenOnSocket } from "../http-socket.ts";
import { gatewayHeader, type RunEvent, type RunOrder, splitBody } from "../queue/run-messages.ts";
import { attemptRefusals } from "./exchange-refusals.ts";
import { type Refusal, refusalBody, refusalHeaders, statusOf } from "./refusals.ts";
import type { ReplicaSlot } from "./replica-slot.ts";

/** Listener of one queued request's exchange. */
export interface QueuedRun {
  order: RunOrder;
  /** Called before a replica gets the request. */
  onDispatched(slot: ReplicaSlot): void;
  /** Called when the exchange is over. */
  onOver(refusal: Refusal | undefined): void;
}

export type AnswerRun = (
  request: IncomingMessage,
  response: ServerResponse,
  run: QueuedRun,
) => void;

/** Above the gateway's own limits for clients and replicas, which apply first. */
const maxHeaderSize = 128 * 1024;
/** Time for a control plane to read the last results. */
const closingMs = 2000;

export class HeldRuns {
  /** Tells the control plane if the gateway that it sent a run to is still the same. */
  readonly #instance = randomUUID();
  readonly #runs = new Map<string, HeldRun>();
  readonly #answer: AnswerRun;
  readonly #log: (text: string) => void;
  readonly #server = http.createServer((request, response) => {
    this.#serve(request, response).catch((error: unknown) => {
      this.#log(`run of a queued request: ${describeError(error)}`);
      response.destroy();
    });
  });

  constructor(answer: AnswerRun, log: (text: string) => void) {
    this.#answer = answer;
    this.#log = log;
  }

  async listen(socketPath: string): Promise<void> {
    await listenOnSocket(this.#server, socketPath);
  }

  /** Call once the gateway has no exchanges: sends their results, then ends the connections. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#server.closeAllConnections(), closingMs);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    clearTimeout(timer);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader(gatewayHeader, this.#instance);
    const id = request.url?.slice("/runs/".length) ?? "";
    const known = this.#runs.get(id);
    if (request.method === "POST") {
      const { document, body } = splitBody<RunOrder>(await buffer(request));
      const run = this.#runs.get(document.id) ?? this.#begin(document, body);
      run.attach(response);
    } else if (request.method === "GET" && known !== undefined) {
      known.attach(response);
    } else if (request.method === "DELETE") {
      known?.cancel();
      this.#runs.delete(id);
      response.writeHead(204).end();
    } else {
      response.writeHead(404).end();
    }
  }

  #begin(order: RunOrder, body: Buffer): HeldRun {
    const run = new HeldRun(order);
    this.#runs.set(order.id, run);
    run.start(this.#answer, body);
    return run;
  }
}

class HeldRun implements QueuedRun {
  readonly order: RunOrder;
  readonly #readers = new Set<ServerResponse>();
  readonly #over = Promise.withResolvers<Refusal | undefined>();
  #started: RunEvent | undefined;
  #ended: { event: RunEvent; body: Buffer } | undefined;
  #request: ClientRequest | undefined;

  constructor(order: RunOrder) {
    this.order = order;
  }

  /** Sends the request through the gateway, over a connection within this process. */
  start(answer: AnswerRun, body: Buffer): void {
    const [near, far] = duplexPair();
    const server = http.createServer({ maxHeaderSize }, (request, response) =>
      answer(request, response, this),
    );
    server.emit("connection", far);
    // Node does not pass a destroyed end on to the other one.
    near.once("close", () => far.destroy());
    const { path, headers } = this.order;
    const request = http.request({
      createConnection: () => near,
      maxHeaderSize,
      method: "POST",
      path,
      // The replica is told the host that the client asked for in X-Forwarded-Host.
      headers: [
        ...[...headers, "Host", "queue", "Content-Length", String(body.length)],
        ...["Connection", "close"],
      ],
    });
    this.#request = request;
    request.once("response", (reply) => void this.#read(reply));
    request.on("error", () => this.#fail(attemptRefusals.disconnected));
    request.end(body);
  }

  onDispatched({ replica, revision }: ReplicaSlot): void {
    this.#started = { kind: "started", replica, revision };
    for (const reader of this.#readers) sendNow(reader, this.#started);
  }

  onOver(refusal: Refusal | undefined): void {
    this.#over.resolve(refusal);
  }

  /** Streams the run's events to a reader, from the first one on. */
  attach(reader: ServerResponse): void {
    reader.writeHead(200);
    reader.flushHeaders();
    if (this.#started !== undefined) sendNow(reader, this.#started);
    if (this.#ended !== undefined) {
      finish(reader, this.#ended);
      return;
    }
    this.#readers.add(reader);
    reader.once("close", () => this.#readers.delete(reader));
  }

  cancel(): void {
    this.#request?.destroy();
  }

  async #read(reply: IncomingMessage): Promise<void> {
    const { maxResultBytes } = this.order;
    const pieces: Buffer[] = [];
    let readBytes = 0;
    try {
      for await (const piece of reply) {
        readBytes += piece.length;
        if (readBytes > maxResultBytes) break;
        pieces.push(piece);
      }
    } catch {
      // The gateway has broken the reply off, and says why.
      this.#fail((await this.#over.promise) ?? attemptRefusals.disconnected);
      return;
    }
    if (readBytes > maxResultBytes) {
      this.#request?.destroy();
      const limit = formatMemory(maxResultBytes);
      const detail = `The app's response is larger than the queue's limit of ${limit}.`;
      this.#fail({ type: "result_too_large", detail });
      return;
    }
    const errorType = reply.headers["x-dctl-error-type"]?.toString();
    const status = reply.statusCode ?? 0;
    this.#end({ kind: "ended", status, headers: reply.rawHeaders, errorType }, pieces);
  }

  #fail(refusal: Refusal): void {
    const { id } = this.order;
    const body = Buffer.from(refusalBody(refusal, id));
    const headers = refusalHeaders(refusal, id, body.length);
    const status = statusOf(refusal);
    this.#end({ kind: "ended", status, headers, errorType: refusal.type }, [body]);
  }

  #end(event: RunEvent, pieces: readonly Buffer[]): void {
    if (this.#ended !== undefined) return;
    this.#ended = { event, body: Buffer.concat(pieces) };
    for (const reader of this.#readers) finish(reader, this.#ended);
    this.#readers.clear();
  }
}

/** Writes at once: what a killed gateway has written tells if a replica may have got the request. */
function sendNow(reader: ServerResponse, event: RunEvent): void {
  reader.write(`${JSON.stringify(event)}\n`);
  reader.socket?.uncork();
}

function finish(reader: ServerResponse, { event, body }: { event: RunEvent; body: Buffer }): void {
  reader.write(`${JSON.stringify(event)}\n`);
  reader.end(body);
}
