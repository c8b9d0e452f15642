// First handling of each request: validates its head, admits it, and starts its exchange or tunnel.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { watchBodyRate } from "../../base/body-rate.ts";
import { codingUnknown, isKnownCoding, watchHalfClosed } from "../../base/http-connection.ts";
import { isLoopback } from "../../configuration/address.ts";
import type { Admission, Admitted, Refused } from "./admission.ts";
import type { AdmittedRequest, ExchangeContext } from "./admitted-request.ts";
import { plainAddress, readOrigin, type TrustedProxies } from "./client-address.ts";
import { Exchange } from "./exchange.ts";
import { drawRequestId, type RequestFacts, refusedRecord } from "./exchange-record.ts";
import type { InternalRoute } from "./gateway-options.ts";
import { answerProbe, internalPathPrefix } from "./health-routes.ts";
import { answerFromCache } from "./models-endpoint.ts";
import { type Refusal, sendRefusal } from "./refusals.ts";
import { type RequestHead, readRequestHead } from "./request-head.ts";
import { type AppPath, readAppPath, withoutQuery } from "./request-path.ts";
import { readWaitingRules } from "./waiting-rules.ts";
import { replyOnSocket, WebSocketTunnel } from "./web-socket-tunnel.ts";

/** Properties of the listener that received a request. */
export interface Ingress {
  scheme: "http" | "https";
  /** Restricts plain HTTP beyond loopback to trusted proxies. */
  isProxyOnly: boolean;
}

export interface RequestHandlerOptions {
  admission: Admission;
  proxies: TrustedProxies;
  context: ExchangeContext;
  isReady: () => boolean;
  internalRoute: InternalRoute | undefined;
  log: (text: string) => void;
}

/** Request in progress that can be ended from outside. */
type ActiveExchange = Exchange | WebSocketTunnel;

/** Request with its parsed head. */
interface ParsedRequest extends RequestFacts {
  response: ServerResponse;
  head: RequestHead;
}

export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly active = new Set<ActiveExchange>();
  isStopping = false;
  /** Connections that close after the refusal sent on them. */
  readonly #closing = new WeakSet<Duplex>();
  /** Callers that wait for all requests to end, each with its own limit. */
  readonly #onIdle = new Set<() => void>();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** Resolves when no request is in progress, or after `mostMs`. */
  async whenIdle(mostMs: number): Promise<void> {
    if (this.active.size === 0) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#onIdle.delete(done);
        resolve();
      };
      const timer = setTimeout(done, mostMs);
      this.#onIdle.add(done);
    });
  }

  isReplyingOn(socket: Duplex): boolean {
    return (
      this.#closing.has(socket) ||
      [...this.active].some(({ admitted }) => admitted.request.socket === socket)
    );
  }

  onRequest(request: IncomingMessage, response: ServerResponse, ingress: Ingress): void {
    const parsed = this.#parse(request, response, ingress);
    this.#admit(parsed, ingress, (admitted) => {
      if (admitted === undefined) {
        const { uploadRate } = this.#options.context.limits;
        watchBodyRate(request, uploadRate, () => request.socket.destroy());
        watchHalfClosed(request, response);
        return;
      }
      if (answerFromCache(admitted, this.#options.context)) return;
      const exchange = new Exchange(admitted, this.#options.context);
      this.active.add(exchange);
      response.once("close", () => this.#remove(exchange));
      exchange.start();
    });
  }

  /** Handles the handshake of a WebSocket. */
  onUpgrade(request: IncomingMessage, socket: Duplex, early: Buffer, ingress: Ingress): void {
    const parsed = this.#parse(request, replyOnSocket(request, socket), ingress);
    this.#admit(parsed, ingress, (admitted) => {
      if (admitted === undefined) return;
      const tunnel = new WebSocketTunnel(admitted, this.#options.context, socket, early);
      this.active.add(tunnel);
      socket.once("close", () => this.#remove(tunnel));
      tunnel.start();
    });
  }

  /** Catches internal errors, so that they cost one request and not the gateway. */
  #guarded(parsed: ParsedRequest, work: () => void): void {
    try {
      work();
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#options.log(`request ${parsed.id} failed with an internal error: ${text}`);
      this.#refuse(parsed, {
        type: "unexpected",
        detail: "Internal error of the gateway.",
      });
    }
  }

  #remove(exchange: ActiveExchange): void {
    this.active.delete(exchange);
    if (this.active.size > 0) return;
    for (const done of [...this.#onIdle]) done();
  }

  #parse(request: IncomingMessage, response: ServerResponse, { scheme }: Ingress): ParsedRequest {
    const head = readRequestHead(request.rawHeaders);
    const peer = plainAddress(request.socket.remoteAddress);
    const origin = readOrigin(head, peer, scheme, this.#options.proxies);
    const arrivedAt = this.#options.context.clock.now();
    return { id: drawRequestId(), request, response, head, origin, arrivedAt };
  }

  /** @param onAdmitted called with undefined if the request is answered already */
  #admit(
    parsed: ParsedRequest,
    ingress: Ingress,
    onAdmitted: (admitted: AdmittedRequest | undefined) => void,
  ): void {
    this.#guarded(parsed, () => {
      const { request, head, origin } = parsed;
      const target = request.url ?? "";
      const path = readAppPath(target);
      const refusal = this.#checkHead(parsed, ingress, target);
      if (refusal !== undefined) onAdmitted(this.#refuse(parsed, refusal));
      else if (target.startsWith(internalPathPrefix)) {
        onAdmitted(this.#answerInternal(parsed, target));
      } else if (path === undefined) onAdmitted(this.#refuse(parsed, notFound));
      else if (this.isStopping) onAdmitted(this.#refuse(parsed, stopping));
      else {
        const caller = { head, method: request.method ?? "", address: origin.address };
        this.#options.admission.admit(path, caller, (decision) => {
          // Another process may have decided, while the client left.
          if (request.socket.destroyed) this.#noteLoss(parsed);
          else this.#guarded(parsed, () => onAdmitted(this.#apply(decision, path, parsed)));
        });
      }
    });
  }

  #apply(
    decision: Admitted | Refused,
    path: AppPath,
    parsed: ParsedRequest,
  ): AdmittedRequest | undefined {
    const { traffic, key } = decision;
    if ("refusal" in decision) {
      // Unknown app names come from strangers and stay out of the statistics.
      const facts = { ...parsed, key, path: traffic === undefined ? undefined : path };
      return this.#refuse(facts, decision.refusal);
    }
    const known = { ...parsed, path, key };
    const method = parsed.request.method ?? "";
    const { routed } = decision.traffic;
    const rules = readWaitingRules(routed, parsed.head, { method, rest: path.rest });
    if ("type" in rules) return this.#refuse(known, rules);
    return { ...known, traffic: decision.traffic, rules };
  }

  #noteLoss(parsed: ParsedRequest): void {
    const { clock, observe } = this.#options.context;
    observe(refusedRecord(parsed, clientLeft, clock));
  }

  #checkHead(
    { request, head }: ParsedRequest,
    ingress: Ingress,
    target: string,
  ): Refusal | undefined {
    const { context, proxies } = this.#options;
    const peer = plainAddress(request.socket.remoteAddress);
    if (ingress.isProxyOnly && !proxies.has(peer) && !isLoopback(peer)) {
      const detail = "This address accepts only the trusted proxy. Use the public HTTPS address.";
      return { type: "untrusted_peer", detail, closes: true };
    }
    if (head.hostCount > 1) {
      // https://www.rfc-editor.org/rfc/rfc9112#section-3.2
      const detail = "The request has more than one Host header. Send exactly one.";
      return { type: "bad_request", detail, closes: true };
    }
    if (!isKnownCoding(head.transferCoding)) {
      return { type: "bad_request", detail: codingUnknown, closes: true };
    }
    if (target.length > context.limits.urlBytes) {
      const kib = context.limits.urlBytes / 1024;
      return { type: "uri_too_long", detail: `The URL is longer than the limit of ${kib} KiB.` };
    }
    if (head.expect !== undefined && head.expect.toLowerCase() !== "100-continue") {
      const detail = "The only supported expectation is 100-continue.";
      return { type: "expectation_failed", detail };
    }
    return undefined;
  }

  #answerInternal(parsed: ParsedRequest, target: string): undefined {
    const { request, response, head, origin } = parsed;
    const { admission, internalRoute, isReady } = this.#options;
    const state = { isReady: isReady() && !this.isStopping };
    if (answerProbe(request, response, withoutQuery(target), state)) return;
    if (internalRoute === undefined) return this.#refuse(parsed, notFound);
    const caller = { head, method: request.method ?? "", address: origin.address };
    admission.identify(caller, (key) => {
      if (key !== undefined && head.expect !== undefined) response.writeContinue();
      if (!internalRoute(request, response, key)) this.#refuse(parsed, notFound);
    });
  }

  #refuse(parsed: ParsedRequest, refusal: Refusal): undefined {
    const { id, request, response, head } = parsed;
    const { clock, limits, observe } = this.#options.context;
    if (refusal.closes === true) this.#closing.add(request.socket);
    response.once("close", () => observe(refusedRecord(parsed, refusal, clock)));
    sendRefusal(request, response, refusal, {
      requestId: id,
      lingerMs: limits.lingerMs,
      holdsBody: head.expect !== undefined,
    });
  }
}

const notFound: Refusal = {
  type: "not_found",
  detail: "Not found. Apps are served at /organisation/app/….",
};

const clientLeft: Refusal = {
  type: "client_disconnected",
  detail: "The client disconnected before its request was admitted.",
};

export const stopping: Refusal = {
  type: "shutting_down",
  detail: "The gateway is shutting down. Try again in a moment.",
  retryAfterSeconds: 5,
  closes: true,
};
