// One try of a request at one replica, through undici's dispatcher.
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { ReplicaSlot } from "./replica-slot.ts";
import type { UpstreamConnection } from "./upstream-pool.ts";

export interface ReplicaRequest {
  method: string;
  /** With its query. */
  path: string;
  /** Name, value, name, value. */
  headers: string[];
  body: Buffer | Readable | null;
}

/** Why there is no reply, or not all of it. */
export type FailureKind =
  /** Nobody listens there; the replica has seen nothing. */
  | "refused"
  /** The connection ended. */
  | "disconnected"
  /** What came is no HTTP. */
  | "invalid_reply"
  /** The request cannot be sent as HTTP. */
  | "invalid_request";

export interface AttemptFailure {
  kind: FailureKind;
  message: string;
  /** It came over a connection that had been idle: the replica may just have closed it. */
  wasReused: boolean;
}

export type RawHeaders = readonly (Buffer | string)[];

export interface AttemptListener {
  /** @param rawHeaders name, value, name, value */
  onHead(status: number, rawHeaders: RawHeaders, statusText: string): void;
  /** @returns false: no more until `resume` */
  onPiece(piece: Buffer): boolean;
  onEnd(): void;
  onFailure(failure: AttemptFailure): void;
}

/** Ends with one call of `onEnd` or `onFailure`, unless it is given up. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #connection: UpstreamConnection;
  readonly #slot: ReplicaSlot;
  readonly #listener: AttemptListener;
  #controller: Dispatcher.DispatchController | undefined;
  #wasReused = false;
  #isOver = false;
  #isGivenUp = false;

  constructor(slot: ReplicaSlot, listener: AttemptListener) {
    this.#slot = slot;
    this.#connection = slot.pool.take();
    this.#listener = listener;
  }

  send(request: ReplicaRequest): void {
    // undici knows the methods of the standard by type and takes any other too.
    const method = request.method as Dispatcher.HttpMethod;
    this.#connection.client.dispatch({ ...request, method, idempotent: false }, this);
  }

  /** Ends it at once, and the work of the replica with it. Nothing is told any more. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#controller?.abort(new Error("given up"));
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#wasReused = this.#connection.answered > 0;
    if (this.#isGivenUp) controller.abort(new Error("given up"));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText = "",
  ): void {
    // 103 and the like: the reply is yet to come.
    if (status < 200 || this.#isGivenUp) return;
    this.#listener.onHead(status, toList(controller.rawHeaders), statusText);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (!this.#isGivenUp && !this.#listener.onPiece(piece)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.answered += 1;
    this.#slot.pool.give(this.#connection);
    if (!this.#isGivenUp) this.#listener.onEnd();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#slot.pool.give(this.#connection);
    if (this.#isGivenUp) return;
    const { message } = error;
    this.#listener.onFailure({ kind: kindOf(error), message, wasReused: this.#wasReused });
  }
}

/** The dispatcher gives a list; its type allows more. */
function toList(headers: Dispatcher.DispatchController["rawHeaders"]): RawHeaders {
  return Array.isArray(headers) ? headers : [];
}

function kindOf(error: Error): FailureKind {
  const code = "code" in error ? String(error.code) : "";
  if (code === "ECONNREFUSED" || code === "UND_ERR_CONNECT_TIMEOUT") return "refused";
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH") {
    return "invalid_request";
  }
  // Node's own errors come from a head that cannot be written to the client.
  const isUnreadable =
    error.name === "HTTPParserError" || /^(UND_ERR_HEADERS_|ERR_HTTP_|ERR_INVALID_)/.test(code);
  return isUnreadable ? "invalid_reply" : "disconnected";
}
