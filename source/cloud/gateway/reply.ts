// What the client of one request is sent: no faster than it reads, and never after it is gone.
import type { IncomingMessage, ServerResponse } from "node:http";
import { keepAliveComment } from "../../base/keep-alive-comment.ts";
import { EventBoundary, errorEvent } from "./event-stream.ts";
import type { GatewayLimits } from "./gateway-options.ts";
import { type Refusal, refusalBody, refusalHeaders, refusalStatus, statusOf } from "./refusals.ts";

export interface ReplyHead {
  status: number;
  statusText: string;
  /** Name, value, name, value. */
  headers: string[];
  /** Server-sent events that nothing has encoded: comments and an error may be put between them. */
  isEventStream: boolean;
}

export interface ReplyOptions {
  limits: GatewayLimits;
  /** Silence after which an event stream gets a comment; 0: never. */
  keepAliveMs: number;
  /** Whether an error in an event stream has a name, as Anthropic's clients want it. */
  namesErrors: boolean;
}

export class Reply {
  readonly #response: ServerResponse;
  readonly #limits: GatewayLimits;
  readonly #keepAliveMs: number;
  readonly #namesErrors: boolean;
  readonly #onDrain: () => void;
  #isEarly = false;
  #comment = keepAliveComment;
  #boundary: EventBoundary | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  #listensForDrain = false;
  #isPaused = false;
  sentBytes = 0;

  /** @param onDrain the client reads again */
  constructor(
    response: ServerResponse,
    { limits, keepAliveMs, namesErrors }: ReplyOptions,
    onDrain: () => void,
  ) {
    this.#response = response;
    this.#limits = limits;
    this.#keepAliveMs = keepAliveMs;
    this.#namesErrors = namesErrors;
    this.#onDrain = onDrain;
  }

  /** Whether the client may have seen the head: its status cannot be changed any more. */
  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  /** Whether that is the gateway's own head of a stream, and nothing of a replica has followed. */
  get isEarly(): boolean {
    return this.#isEarly;
  }

  /** Begins a stream of events before there is a replica, with a comment at once and ever again. */
  beginEarly(headers: string[], { comment, everyMs }: { comment: string; everyMs: number }): void {
    this.#isEarly = true;
    this.#response.writeHead(200, "OK", headers);
    this.#boundary = new EventBoundary();
    this.#response.write(comment);
    this.#commentSilence(comment, everyMs);
  }

  /** After an early beginning the head is not sent: what follows must be such a stream too. */
  begin({ status, statusText, headers, isEventStream }: ReplyHead): void {
    if (this.#isEarly) {
      this.#isEarly = false;
      this.#commentSilence(keepAliveComment, this.#keepAliveMs);
      return;
    }
    const response = this.#response;
    response.writeHead(status, statusText, headers);
    // Where the first piece has come along, both go out together.
    process.nextTick(flushHead, response);
    if (!isEventStream) return;
    this.#boundary = new EventBoundary();
    this.#commentSilence(keepAliveComment, this.#keepAliveMs);
  }

  /** @returns false: the client is slow; no more until `onDrain` */
  write(piece: Buffer): boolean {
    this.sentBytes += piece.length;
    this.#boundary?.note(piece);
    this.#silenceTimer?.refresh();
    if (this.#response.write(piece)) return true;
    this.#waitForReader();
    return false;
  }

  end(): void {
    clearTimeout(this.#silenceTimer);
    this.#response.end();
    // What is still to be read may never be.
    if (this.#response.writableLength > 0) this.#startStallTimer();
  }

  /** Ends a reply that has begun so that the client notices. */
  breakOff(refusal: Refusal): void {
    if (this.#boundary === undefined || this.#isPaused) {
      this.#response.destroy();
      return;
    }
    const status = this.#isEarly ? statusOf(refusal) : undefined;
    const isAtBoundary = this.#boundary.isHere;
    const isNamed = this.#namesErrors;
    this.#response.write(errorEvent(refusal, { isAtBoundary, isNamed, status }));
    this.end();
  }

  /** Sends a comment, where the reply is a stream of events and none is half sent. */
  breakSilence(): void {
    if (this.#response.writableEnded) return;
    if (this.#boundary?.isHere === true && !this.#isPaused) this.#response.write(this.#comment);
    this.#silenceTimer?.refresh();
  }

  /** When the reply is over, however. */
  close(): void {
    clearTimeout(this.#stallTimer);
    clearTimeout(this.#silenceTimer);
  }

  /** @param everyMs 0: never */
  #commentSilence(comment: string, everyMs: number): void {
    clearTimeout(this.#silenceTimer);
    this.#comment = comment;
    if (everyMs > 0) this.#silenceTimer = setTimeout(() => this.breakSilence(), everyMs);
  }

  #waitForReader(): void {
    this.#isPaused = true;
    this.#startStallTimer();
    if (this.#listensForDrain) return;
    this.#listensForDrain = true;
    this.#response.on("drain", () => {
      this.#isPaused = false;
      clearTimeout(this.#stallTimer);
      this.#onDrain();
    });
  }

  #startStallTimer(): void {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = setTimeout(() => this.#response.destroy(), this.#limits.writeStallMs);
  }
}

function flushHead(response: ServerResponse): void {
  if (!response.writableEnded && !response.destroyed) response.flushHeaders();
}

export interface RefusalOptions {
  requestId: string;
  lingerMs: number;
  /** The client sends its body only when it is told to go on. */
  holdsBody: boolean;
}

/** Answers in the replica's place. The rest of a body that is still coming is read for a moment. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  { requestId, lingerMs, holdsBody }: RefusalOptions,
): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(refusalBody(refusal, requestId));
  const headers = refusalHeaders(refusal, requestId, body.length);
  const unreadBytes = request.complete ? 0 : bodyBytes(request);
  const isLong = unreadBytes > shortBodyBytes;
  const closes = isLong || refusal.closes === true || (holdsBody && unreadBytes > 0);
  if (closes) headers.push("Connection", "close");
  response.writeHead(refusalStatus(refusal.type), headers);
  if (!isLong || holdsBody) {
    request.resume();
    response.end(body);
    return;
  }
  // Closing while bytes arrive would reset the connection, and the client would see only that.
  if (request.method !== "HEAD") response.write(body);
  const finish = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, lingerMs);
  request.once("end", finish);
  request.once("close", () => clearTimeout(timer));
  request.resume();
}

/** The rest of so short a body is read, and the connection can be used again. */
const shortBodyBytes = 64 * 1024;

/** As announced; a chunked one has no end. */
function bodyBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers["content-length"] ?? 0);
}
