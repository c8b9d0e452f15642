// Attempt to send a request to one replica, through undici's dispatcher.
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { isReplyOfGone, replicaMark } from "../replica-address.ts";
import type { ReplicaSlot } from "./replica-slot.ts";
import type { UpstreamConnection } from "./upstream-pool.ts";

export interface ForwardedRequest {
  method: string;
  /** Path with its query, below the replica's own. */
  path: string;
  /** Name, value, name, value. */
  headers: string[];
  body: Buffer | Readable | null;
}

/** Reason for a missing or incomplete reply. */
export type FailureKind =
  /** Connection refused; the replica has seen nothing. */
  | "refused"
  /** Connection closed. */
  | "disconnected"
  /** Replica has exited; the proxy in front of it sent the reply. */
  | "gone"
  /** Reply is not valid HTTP. */
  | "invalid_reply"
  /** Request cannot be sent as HTTP. */
  | "invalid_request";

export interface AttemptFailure {
  kind: FailureKind;
  message: string;
  /** True on a reused connection, which the replica may just have closed. */
  wasReused: boolean;
}

export type RawHeaders = readonly (Buffer | string)[];

export interface AttemptListener {
  /** @param rawHeaders name, value, name, value */
  onHead(status: number, rawHeaders: RawHeaders, statusText: string): void;
  /** @returns false to pause until `resume` */
  onPiece(piece: Buffer): boolean;
  onEnd(): void;
  onFailure(failure: AttemptFailure): void;
}

/** Calls `onEnd` or `onFailure` exactly once, unless given up. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #connection: UpstreamConnection;
  readonly #slot: ReplicaSlot;
  readonly #listener: AttemptListener;
  #controller: Dispatcher.DispatchController | undefined;
  #unwatch = () => {};
  #wasReused = false;
  #isOver = false;
  #isGivenUp = false;

  /** @param onNewConnection a failure then never means that an idle connection was just closing */
  constructor(slot: ReplicaSlot, listener: AttemptListener, { onNewConnection = false } = {}) {
    this.#slot = slot;
    this.#connection = slot.pool.take({ isNew: onNewConnection });
    this.#listener = listener;
  }

  send(request: ForwardedRequest): void {
    // undici accepts any method; its type has only the standard ones.
    const method = request.method as Dispatcher.HttpMethod;
    const { prefix } = this.#slot.address;
    const path = `${prefix}${request.path}`;
    // A proxy may hold requests for a replica that is gone.
    if (prefix !== "") this.#unwatch = this.#slot.whenRetired(() => this.#reportGone());
    this.#connection.client.dispatch({ ...request, method, path, idempotent: false }, this);
  }

  /** Aborts the attempt, and with it the replica's work; no more calls follow. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#unwatch();
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
    headers: Record<string, string | string[] | undefined>,
    statusText = "",
  ): void {
    // Informational, such as 103; the reply follows.
    if (status < 200 || this.#isGivenUp) return;
    const mark = headers[replicaMark];
    if (isReplyOfGone(this.#slot.address, status, mark?.toString())) {
      this.#reportGone();
      return;
    }
    this.#listener.onHead(status, toList(controller.rawHeaders), statusText);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (!this.#isGivenUp && !this.#listener.onPiece(piece)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unwatch();
    this.#connection.answered += 1;
    this.#slot.pool.give(this.#connection);
    if (!this.#isGivenUp) this.#listener.onEnd();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unwatch();
    this.#slot.pool.give(this.#connection);
    if (this.#isGivenUp) return;
    const { message } = error;
    this.#listener.onFailure({ kind: kindOf(error), message, wasReused: this.#wasReused });
  }

  #reportGone(): void {
    if (this.#isOver || this.#isGivenUp) return;
    this.giveUp();
    this.#listener.onFailure({ kind: "gone", message: "the replica is gone", wasReused: false });
  }
}

/** Narrows the type: the dispatcher always gives a list. */
function toList(headers: Dispatcher.DispatchController["rawHeaders"]): RawHeaders {
  return Array.isArray(headers) ? headers : [];
}

function kindOf(error: Error): FailureKind {
  const code = "code" in error ? String(error.code) : "";
  if (code === "ECONNREFUSED" || code === "UND_ERR_CONNECT_TIMEOUT") return "refused";
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH") {
    return "invalid_request";
  }
  // Node's own errors are caused by a head that cannot be written to the client.
  const isUnreadable =
    error.name === "HTTPParserError" || /^(UND_ERR_HEADERS_|ERR_HTTP_|ERR_INVALID_)/.test(code);
  return isUnreadable ? "invalid_reply" : "disconnected";
}
