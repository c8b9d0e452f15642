// What happens to every request first: is it for us, is it small enough, may it pass, which way?
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { watchBodyRate } from "../../base/body-rate.ts";
import { watchHalfClosed } from "../../base/half-closed.ts";
import { codingUnknown, isKnownCoding } from "../../base/transfer-coding.ts";
import { isLoopback } from "../../configuration/address.ts";
import type { Admission } from "./admission.ts";
import type { Arrival, ExchangeContext } from "./arrival.ts";
import { plainAddress, readOrigin, type TrustedProxies } from "./client-address.ts";
import { Exchange } from "./exchange.ts";
import { refusedRecord, type Visited } from "./exchange-record.ts";
import type { InternalRoute } from "./gateway-options.ts";
import { answerFromKept } from "./models-cache.ts";
import { answerProbe, ownPathPrefix } from "./own-routes.ts";
import type { Refusal } from "./refusals.ts";
import { sendRefusal } from "./reply.ts";
import { type RequestHead, readRequestHead } from "./request-head.ts";
import { drawRequestId } from "./request-id.ts";
import { readAppPath, withoutQuery } from "./request-path.ts";
import { readWaitingRules } from "./waiting-rules.ts";
import { replyOnSocket, WebSocketTunnel } from "./web-socket-tunnel.ts";

/** How a request came in. */
export interface Door {
  scheme: "http" | "https";
  /** Plain HTTP beyond loopback, for proxies that are trusted: nobody else may use it. */
  isForProxies: boolean;
}

export interface ReceptionOptions {
  admission: Admission;
  proxies: TrustedProxies;
  context: ExchangeContext;
  isReady: () => boolean;
  internalRoute: InternalRoute | undefined;
  log: (text: string) => void;
}

/** Something under way that can be ended from outside. */
type Live = Exchange | WebSocketTunnel;

/** A request as far as its head tells. */
interface Visit extends Visited {
  response: ServerResponse;
  head: RequestHead;
}

export class Reception {
  readonly #options: ReceptionOptions;
  readonly live = new Set<Live>();
  isStopping = false;
  /** Connections that end with the refusal that was sent on them. */
  readonly #closing = new WeakSet<Duplex>();
  /** Those who wait for the end of all requests: a second one may wait less long. */
  readonly #onIdle = new Set<() => void>();

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  /** Resolves when nothing is under way any more, or the time is over. */
  async whenIdle(mostMs: number): Promise<void> {
    if (this.live.size === 0) return;
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
      [...this.live].some(({ arrival }) => arrival.request.socket === socket)
    );
  }

  onRequest(request: IncomingMessage, response: ServerResponse, door: Door): void {
    const visit = this.#greet(request, response, door);
    this.#guarded(visit, () => {
      const arrival = this.#let(visit, door);
      if (arrival === undefined) {
        const { uploadRate } = this.#options.context.limits;
        watchBodyRate(request, uploadRate, () => request.socket.destroy());
        watchHalfClosed(request, response);
        return;
      }
      if (answerFromKept(arrival, this.#options.context)) return;
      const exchange = new Exchange(arrival, this.#options.context);
      this.live.add(exchange);
      response.once("close", () => this.#forget(exchange));
      exchange.start();
    });
  }

  /** For a WebSocket's handshake. */
  onUpgrade(request: IncomingMessage, socket: Duplex, early: Buffer, door: Door): void {
    const visit = this.#greet(request, replyOnSocket(request, socket), door);
    this.#guarded(visit, () => {
      const arrival = this.#let(visit, door);
      if (arrival === undefined) return;
      const tunnel = new WebSocketTunnel(arrival, this.#options.context, socket, early);
      this.live.add(tunnel);
      socket.once("close", () => this.#forget(tunnel));
      tunnel.start();
    });
  }

  /** A defect costs one request, not the gateway. */
  #guarded(visit: Visit, work: () => void): void {
    try {
      work();
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#options.log(`request ${visit.id} met a defect: ${text}`);
      this.#refuse(visit, {
        type: "unexpected",
        detail: "The gateway has met a defect of its own.",
      });
    }
  }

  #forget(live: Live): void {
    this.live.delete(live);
    if (this.live.size > 0) return;
    for (const done of [...this.#onIdle]) done();
  }

  #greet(request: IncomingMessage, response: ServerResponse, { scheme }: Door): Visit {
    const head = readRequestHead(request.rawHeaders);
    const peer = plainAddress(request.socket.remoteAddress);
    const origin = readOrigin(head, peer, scheme, this.#options.proxies);
    const arrivedAt = this.#options.context.clock.now();
    return { id: drawRequestId(), request, response, head, origin, arrivedAt };
  }

  /** @returns undefined when it was answered already */
  #let(visit: Visit, door: Door): Arrival | undefined {
    const { request, head, origin } = visit;
    const { admission } = this.#options;
    const target = request.url ?? "";
    const refusal = this.#refuseUnread(visit, door, target);
    if (refusal !== undefined) return this.#refuse(visit, refusal);
    if (target.startsWith(ownPathPrefix)) return this.#answerOwn(visit, target);
    const path = readAppPath(target);
    if (path === undefined) return this.#refuse(visit, notFound);
    if (this.isStopping) return this.#refuse(visit, stopping);
    const method = request.method ?? "";
    const admitted = admission.admit(path, { head, method, address: origin.address });
    const { traffic, key } = admitted;
    if ("refusal" in admitted) {
      // Names that no app has are made up by strangers, and no statistics should have them.
      const visited = { ...visit, key, path: traffic === undefined ? undefined : path };
      return this.#refuse(visited, admitted.refusal);
    }
    const known = { ...visit, path, key };
    const rules = readWaitingRules(admitted.traffic.routed, head, { method, rest: path.rest });
    if ("type" in rules) return this.#refuse(known, rules);
    return { ...known, traffic: admitted.traffic, rules };
  }

  #refuseUnread({ request, head }: Visit, door: Door, target: string): Refusal | undefined {
    const { context, proxies } = this.#options;
    const peer = plainAddress(request.socket.remoteAddress);
    if (door.isForProxies && !proxies.has(peer) && !isLoopback(peer)) {
      const detail = "This address is for a trusted proxy alone. Use the public one, over HTTPS.";
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
      return { type: "uri_too_long", detail: `The URL is longer than the ${kib} KiB taken here.` };
    }
    if (head.expect !== undefined && head.expect.toLowerCase() !== "100-continue") {
      const detail = "The only expectation that can be met is 100-continue.";
      return { type: "expectation_failed", detail };
    }
    return undefined;
  }

  #answerOwn(visit: Visit, target: string): undefined {
    const { request, response, head, origin } = visit;
    const { admission, internalRoute, isReady } = this.#options;
    const state = { isReady: isReady() && !this.isStopping };
    if (answerProbe(request, response, withoutQuery(target), state)) return;
    if (internalRoute !== undefined) {
      const method = request.method ?? "";
      const key = admission.identify({ head, method, address: origin.address });
      if (key !== undefined && head.expect !== undefined) response.writeContinue();
      if (internalRoute(request, response, key)) return;
    }
    this.#refuse(visit, notFound);
  }

  #refuse(visit: Visit, refusal: Refusal): undefined {
    const { id, request, response, head } = visit;
    const { clock, limits, observe } = this.#options.context;
    if (refusal.closes === true) this.#closing.add(request.socket);
    response.once("close", () => observe(refusedRecord(visit, refusal, clock)));
    sendRefusal(request, response, refusal, {
      requestId: id,
      lingerMs: limits.lingerMs,
      holdsBody: head.expect !== undefined,
    });
  }
}

const notFound: Refusal = {
  type: "not_found",
  detail: "There is nothing here. Apps are reached by /organisation/app/….",
};

export const stopping: Refusal = {
  type: "shutting_down",
  detail: "The gateway is stopping. Try again in a moment.",
  retryAfterSeconds: 5,
  closes: true,
};
