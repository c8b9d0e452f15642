// First handling of each request: validates its head, admits it, and starts its exchange or tunnel.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { watchBodyRate } from "../../base/body-rate.ts";
import { codingUnknown, isKnownCoding, watchHalfClosed } from "../../base/http-connection.ts";
import { isLoopback } from "../../configuration/address.ts";
import { Changes } from "../changes.ts";
import type { Admission } from "./admission.ts";
import type { AdmittedRequest, ExchangeContext } from "./admitted-request.ts";
import type { AppTraffic } from "./app-traffic.ts";
import { plainAddress, readOrigin, type TrustedProxies } from "./client-address.ts";
import { Exchange } from "./exchange.ts";
import { drawRequestId, type RequestFacts, refusedRecord } from "./exchange-record.ts";
import { beginTrace } from "./exchange-traces.ts";
import type { InternalRoute } from "./gateway-options.ts";
import { answerProbe, internalPathPrefix } from "./health-routes.ts";
import type { QueuedRun } from "./held-runs.ts";
import { answerFromCache } from "./models-endpoint.ts";
import type { QueueRoute } from "./queue-route.ts";
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
  internalRoute: InternalRoute | undefined;
  /** Undefined: the gateway has no queue. */
  queueRoute: QueueRoute | undefined;
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
  /** Requests with an admin key. Their bodies may be typed, so no minimum rate applies. */
  readonly #unhurried = new WeakSet<IncomingMessage>();
  readonly #changes = new Changes();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** Resolves when no request is in progress, or after `maxMs`. */
  async whenIdle(maxMs: number): Promise<void> {
    const isIdle = () => this.active.size === 0 || undefined;
    // The limit ends the wait.
    await this.#changes.until(isIdle, AbortSignal.timeout(maxMs)).catch(() => {});
  }

  /** True if an error may not be sent there: it would look like the reply to an earlier request. */
  isReplyingOn(socket: Duplex): boolean {
    const admitted = [...this.active].map((exchange) => exchange.admitted);
    const own = admitted.filter(({ request }) => request.socket === socket);
    const isReplying = own.some(
      ({ request, response }) => request.complete || response.headersSent,
    );
    return isReplying || this.#closing.has(socket);
  }

  onRequest(request: IncomingMessage, response: ServerResponse, ingress: Ingress): void {
    const { context } = this.#options;
    const parsed = this.#parse(request, response, ingress);
    this.#guarded(parsed, () => {
      const admitted = this.#admit(parsed, ingress);
      if (admitted === undefined) {
        if (!this.#unhurried.has(request)) {
          watchBodyRate(request, context.limits.uploadRate, () => request.socket.destroy());
        }
        watchHalfClosed(request, response);
        return;
      }
      if (answerFromCache(admitted, context)) return;
      this.#exchange(admitted);
    });
  }

  /** Handles a request that the queue has held. */
  onRun(request: IncomingMessage, response: ServerResponse, run: QueuedRun): void {
    const { admission, context } = this.#options;
    const { organisation, app, affinity, startTimeoutMs, key, address, forwardHeaders } = run.order;
    const startTimeout = String(startTimeoutMs / 1000);
    // The control plane decides about retries.
    const own = { affinity, startTimeout, coldStart: "wait", forbidsRetry: true };
    const parsed: ParsedRequest = {
      ...{ id: drawRequestId(), request, response, arrivedAt: context.clock.now() },
      head: { ...readRequestHead(request.rawHeaders), ...own },
      origin: { address, forwardHeaders, askedUrl: "" },
    };
    this.#guarded(parsed, () => {
      if (this.isStopping) return this.#refuse(parsed, stopping);
      const path = { organisation, app, rest: request.url ?? "/" };
      const decision = admission.admitRun(path, key);
      const known = { ...parsed, path, key };
      if ("refusal" in decision) return this.#refuse(known, decision.refusal);
      const admitted = this.#withRules(known, decision.traffic);
      if (admitted !== undefined) this.#exchange({ ...admitted, run });
    });
  }

  #exchange(admitted: AdmittedRequest): void {
    const exchange = new Exchange(admitted, this.#options.context);
    this.active.add(exchange);
    admitted.response.once("close", () => this.#remove(exchange));
    exchange.start();
  }

  /** Handles the handshake of a WebSocket. */
  onUpgrade(request: IncomingMessage, socket: Duplex, early: Buffer, ingress: Ingress): void {
    const parsed = this.#parse(request, replyOnSocket(request, socket), ingress);
    this.#guarded(parsed, () => {
      const admitted = this.#admit(parsed, ingress);
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
      this.#refuse(parsed, { type: "unexpected", detail: "Internal error of the gateway." });
    }
  }

  #remove(exchange: ActiveExchange): void {
    this.active.delete(exchange);
    this.#changes.notify();
  }

  #parse(request: IncomingMessage, response: ServerResponse, { scheme }: Ingress): ParsedRequest {
    const head = readRequestHead(request.rawHeaders);
    const peer = plainAddress(request.socket.remoteAddress);
    const origin = readOrigin(head, peer, scheme, this.#options.proxies);
    const arrivedAt = this.#options.context.clock.now();
    return { id: drawRequestId(), request, response, head, origin, arrivedAt };
  }

  /** @returns undefined if the request is answered already */
  #admit(parsed: ParsedRequest, ingress: Ingress): AdmittedRequest | undefined {
    const { request, head, origin } = parsed;
    const { admission, queueRoute } = this.#options;
    const target = request.url ?? "";
    const invalid = this.#checkHead(parsed, ingress, target);
    if (invalid !== undefined) return this.#refuse(parsed, invalid);
    if (target.startsWith(internalPathPrefix)) return this.#answerInternal(parsed, target);
    if (queueRoute?.isOwn(target) === true) {
      const refuse = (refusal: Refusal, path?: AppPath) =>
        this.#refuse({ ...parsed, path }, refusal);
      if (this.isStopping) return refuse(stopping);
      queueRoute.answer({ ...parsed, refuse });
      return;
    }
    const path = readAppPath(target);
    if (path === undefined) return this.#refuse(parsed, notFound);
    if (this.isStopping) return this.#refuse(parsed, stopping);
    const method = request.method ?? "";
    const decision = admission.admit(path, { head, method, address: origin.address });
    const { traffic, key } = decision;
    if ("refusal" in decision) {
      // Unknown app names come from strangers and stay out of the statistics.
      const facts = { ...parsed, key, path: traffic === undefined ? undefined : path };
      return this.#refuse(facts, decision.refusal);
    }
    return this.#withRules({ ...parsed, path, key }, decision.traffic);
  }

  /** @returns undefined if the request is refused */
  #withRules(
    known: ParsedRequest & Pick<AdmittedRequest, "path" | "key">,
    traffic: AppTraffic,
  ): AdmittedRequest | undefined {
    const { request, head, path, arrivedAt } = known;
    const method = request.method ?? "";
    const rules = readWaitingRules(traffic.routed, head, { method, rest: path.rest });
    if ("type" in rules) return this.#refuse(known, rules);
    const { tracing, clock } = this.#options.context;
    const startedAt = clock.wallMs() - (clock.now() - arrivedAt);
    const trace = tracing && beginTrace(tracing, known, startedAt);
    return { ...known, traffic, rules, trace };
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
    const { admission, internalRoute } = this.#options;
    if (answerProbe(request, response, withoutQuery(target), !this.isStopping)) return;
    if (internalRoute === undefined) return this.#refuse(parsed, notFound);
    const { method = "" } = request;
    const key = admission.identify({ head, method, address: origin.address });
    if (key !== undefined && head.expect !== undefined) response.writeContinue();
    if (key?.scope === "admin") this.#unhurried.add(request);
    if (!internalRoute(request, response, key)) this.#refuse(parsed, notFound);
  }

  #refuse(parsed: ParsedRequest, refusal: Refusal): undefined {
    const { id, request, response, head } = parsed;
    const { clock, limits, observe } = this.#options.context;
    if (refusal.closes === true) this.#closing.add(request.socket);
    response.once("close", () => observe(refusedRecord(parsed, refusal, clock), parsed));
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

export const stopping: Refusal = {
  type: "shutting_down",
  detail: "The gateway is shutting down. Try again in a moment.",
  retryAfterSeconds: 5,
  closes: true,
};
