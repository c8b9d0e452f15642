// Response to one client, with back-pressure, keep-alive comments and errors within a stream.
import type { ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import { keepAliveComment } from "../../base/http-connection.ts";
import type { GatewayLimits } from "./gateway-options.ts";
import { type Refusal, statusOf } from "./refusals.ts";

export interface ReplyHead {
  status: number;
  statusText: string;
  /** Name, value, name, value. */
  headers: string[];
  /** Unencoded server-sent events, between which comments and an error may be inserted. */
  isEventStream: boolean;
}

export interface ReplyOptions {
  limits: GatewayLimits;
  /** Milliseconds of silence after which an event stream gets a comment; 0 disables it. */
  keepAliveMs: number;
  /** Names the error event of a stream, as Anthropic's clients expect. */
  namesErrors: boolean;
}

export class Reply {
  readonly #response: ServerResponse;
  readonly #options: ReplyOptions;
  readonly #onDrain: () => void;
  /** True while only the gateway's own stream head was sent, and nothing from a replica. */
  isEarly = false;
  #comment = keepAliveComment;
  #boundary: EventBoundary | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #keepAliveTimer: NodeJS.Timeout | undefined;
  #listensForDrain = false;
  #isPaused = false;
  sentBytes = 0;

  /** @param onDrain called when the client reads again */
  constructor(response: ServerResponse, options: ReplyOptions, onDrain: () => void) {
    this.#response = response;
    this.#options = options;
    this.#onDrain = onDrain;
  }

  /** True once the head was sent, so that the status cannot change. */
  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  /** Starts an event stream before a replica exists, with repeated comments. */
  beginEarly(headers: string[], { comment, everyMs }: { comment: string; everyMs: number }): void {
    this.isEarly = true;
    this.#response.writeHead(200, "OK", headers);
    this.#boundary = new EventBoundary();
    this.#response.write(comment);
    this.#startKeepAlive(comment, everyMs);
  }

  /** Starts the response; after `beginEarly` the head is skipped, and an event stream must follow. */
  begin({ status, statusText, headers, isEventStream }: ReplyHead): void {
    if (this.isEarly) {
      this.isEarly = false;
      this.#startKeepAlive(keepAliveComment, this.#options.keepAliveMs);
      return;
    }
    const response = this.#response;
    response.writeHead(status, statusText, headers);
    // Sends the head together with the first piece, if that is already there.
    process.nextTick(flushHead, response);
    if (!isEventStream) return;
    this.#boundary = new EventBoundary();
    this.#startKeepAlive(keepAliveComment, this.#options.keepAliveMs);
  }

  /** @returns false if the client is slow; write again after `onDrain` */
  write(piece: Buffer): boolean {
    this.sentBytes += piece.length;
    this.#boundary?.note(piece);
    this.#keepAliveTimer?.refresh();
    if (this.#response.write(piece)) return true;
    this.#waitForReader();
    return false;
  }

  end(): void {
    clearTimeout(this.#keepAliveTimer);
    this.#response.end();
    // The client may never read the rest.
    if (this.#response.writableLength > 0) this.#startStallTimer();
  }

  /** Ends a started response so that the client notices the failure. */
  abort(refusal: Refusal): void {
    if (this.#boundary === undefined || this.#isPaused) {
      breakOff(this.#response);
      return;
    }
    const status = this.isEarly ? statusOf(refusal) : undefined;
    const isAtBoundary = this.#boundary.isHere;
    const isNamed = this.#options.namesErrors;
    this.#response.write(errorEvent(refusal, { isAtBoundary, isNamed, status }));
    this.end();
  }

  /** Sends a comment if the response is an event stream and no event is half sent. */
  sendKeepAlive(): void {
    if (this.#response.writableEnded) return;
    if (this.#boundary?.isHere === true && !this.#isPaused) this.#response.write(this.#comment);
    this.#keepAliveTimer?.refresh();
  }

  /** Clears the timers; called when the response is over. */
  close(): void {
    clearTimeout(this.#stallTimer);
    clearTimeout(this.#keepAliveTimer);
  }

  /** @param everyMs 0 disables it */
  #startKeepAlive(comment: string, everyMs: number): void {
    clearTimeout(this.#keepAliveTimer);
    this.#comment = comment;
    if (everyMs > 0) this.#keepAliveTimer = setTimeout(() => this.sendKeepAlive(), everyMs);
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
    this.#stallTimer = setTimeout(
      () => this.#response.destroy(),
      this.#options.limits.writeStallMs,
    );
  }
}

/** HTTP/1.0 has no chunks, so that only a reset tells its clients that a reply is incomplete. */
function breakOff(response: ServerResponse): void {
  const { socket, req } = response;
  if (req.httpVersionMinor === 0 && socket !== null && !(socket instanceof TLSSocket)) {
    socket.resetAndDestroy();
  }
  response.destroy();
}

function flushHead(response: ServerResponse): void {
  if (!response.writableEnded && !response.destroyed) response.flushHeaders();
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
const eventEnd = /(?:\n\n|\r\r|\r\n\r\n)$/;

/** Tracks a stream to know if an event has just ended. */
class EventBoundary {
  #last = "";

  note(piece: Buffer): void {
    const end = piece.toString("latin1", Math.max(0, piece.length - 4));
    this.#last = piece.length >= 4 ? end : (this.#last + end).slice(-4);
  }

  /** Also true before the first byte. */
  get isHere(): boolean {
    return this.#last === "" || eventEnd.test(this.#last);
  }
}

interface ErrorEventForm {
  isAtBoundary: boolean;
  /** Set for Anthropic's clients, which skip events without a name. */
  isNamed: boolean;
  /** Status of the reply, if its head was sent too early to carry it. */
  status?: number | undefined;
}

/** Final event of a failed stream, in OpenAI's or Anthropic's format. */
function errorEvent(
  { type, detail }: Refusal,
  { isAtBoundary, isNamed, status }: ErrorEventForm,
): string {
  const error = { message: detail, type, code: type, param: null, status };
  const [name, data] = isNamed ? ["event: error\n", { type: "error", error }] : ["", { error }];
  return `${isAtBoundary ? "" : "\n\n"}${name}data: ${JSON.stringify(data)}\n\n`;
}
