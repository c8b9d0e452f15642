// WebSocket tunnel: proxies the handshake like a request, then copies bytes in both directions.
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { endConnection } from "../../base/http-connection.ts";
import { http } from "../../base/node-http.ts";
import { isReplyOfGone, replicaMark } from "../replica-address.ts";
import type { AdmittedRequest, ExchangeContext } from "./admitted-request.ts";
import type { FailureKind } from "./attempt.ts";
import { attemptRefusals, requestTimeout } from "./exchange-refusals.ts";
import { type Refusal, sendRefusal } from "./refusals.ts";
import { ReplicaClaim } from "./replica-claim.ts";
import { replicaHeaders } from "./replica-headers.ts";
import type { ReplicaSlot } from "./replica-slot.ts";
import { type ReadReplyHead, readReplyHead } from "./reply-head.ts";

/** Maximum bytes that a client may send before its handshake is answered. */
const maxEarlyBytes = 64 * 1024;

/** Response on the socket of an upgrade, which Node's server no longer manages. */
export function replyOnSocket(incoming: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new http.ServerResponse(incoming);
  response.shouldKeepAlive = false;
  socket.on("error", () => socket.destroy());
  if (socket instanceof Socket) response.assignSocket(socket);
  response.once("finish", () => endConnection(socket));
  return response;
}

/** Limits the time of the handshake like that of a request, but not that of the tunnel. */
export class WebSocketTunnel {
  readonly admitted: AdmittedRequest;
  readonly #context: ExchangeContext;
  readonly #socket: Duplex;
  readonly #claim: ReplicaClaim;
  #early: Buffer[];
  #earlyBytes = 0;
  #outgoing: ClientRequest | undefined;
  #upstream: Duplex | undefined;
  #handshakeTimer: NodeJS.Timeout | undefined;
  #firstByteMs: number | undefined;
  #receivedBytes = 0;
  #sentBytes = 0;
  #refusal: Refusal | undefined;
  #status = 499;
  #unwatch = () => {};
  #isOver = false;

  /** @param early bytes received after the handshake */
  constructor(admitted: AdmittedRequest, context: ExchangeContext, socket: Duplex, early: Buffer) {
    this.admitted = admitted;
    this.#context = context;
    this.#socket = socket;
    this.#early = early.length > 0 ? [early] : [];
    this.#claim = new ReplicaClaim(admitted, context.clock, {
      onGranted: (slot) => this.#shakeHands(slot),
      onRefused: (refusal) => this.refuse(refusal),
    });
  }

  start(): void {
    // A disconnect is noticed only while reading.
    this.#socket.on("data", this.#onEarly);
    this.#socket.once("end", () => {
      if (this.#upstream === undefined) this.cut();
    });
    this.#socket.once("close", () => this.#close());
    const { requestTimeoutMs } = this.admitted.traffic.routed.limits;
    if (requestTimeoutMs > 0) {
      const refuse = () => this.refuse(requestTimeout(requestTimeoutMs));
      this.#handshakeTimer = setTimeout(refuse, Math.min(requestTimeoutMs, 2 ** 31 - 1));
    }
    this.#claim.seek();
  }

  refuse(refusal: Refusal): void {
    if (this.#isOver || this.#refusal !== undefined) return;
    this.#refusal = refusal;
    if (this.#upstream !== undefined) {
      this.cut();
      return;
    }
    this.#stop();
    const { request: incoming, response, id } = this.admitted;
    const { lingerMs } = this.#context.limits;
    sendRefusal(incoming, response, refusal, { requestId: id, lingerMs, holdsBody: false });
    this.#status = response.statusCode;
  }

  cut(): void {
    this.#socket.destroy();
  }

  readonly #onEarly = (piece: Buffer): void => {
    this.#early.push(piece);
    this.#earlyBytes += piece.length;
    if (this.#earlyBytes > maxEarlyBytes) this.cut();
  };

  #shakeHands(slot: ReplicaSlot): void {
    const { path } = this.admitted;
    const { host, hostname, port, prefix } = slot.address;
    const outgoing = http.request({
      hostname,
      port,
      path: `${prefix}${path.rest}`,
      agent: false,
      headers: [
        ...["Host", host, "Connection", "Upgrade", "Upgrade", "websocket"],
        ...replicaHeaders(this.admitted, undefined, {
          revision: slot.revision,
          isUnencoded: false,
        }),
      ],
    });
    this.#outgoing = outgoing;
    // A proxy may hold a handshake for a replica that is gone, and a tunnel to it.
    if (prefix !== "") this.#unwatch = slot.whenRetired(() => this.#onGone(outgoing));
    outgoing.once("upgrade", (reply, upstream, early) => this.#join(reply, upstream, early));
    outgoing.once("response", (reply) => {
      const mark = reply.headers[replicaMark]?.toString();
      if (!isReplyOfGone(slot.address, reply.statusCode ?? 0, mark)) {
        this.#passRefusal(reply);
        return;
      }
      this.#unwatch();
      this.#outgoing = undefined;
      reply.resume();
      this.#retry("gone");
    });
    outgoing.on("error", (error) => {
      if (outgoing === this.#outgoing) this.#onError(error);
    });
    outgoing.end();
  }

  #join(reply: IncomingMessage, upstream: Duplex, early: Buffer): void {
    if (this.#isOver) {
      upstream.destroy();
      return;
    }
    clearTimeout(this.#handshakeTimer);
    const socket = this.#socket;
    this.#upstream = upstream;
    this.#status = 101;
    const { headers } = this.#readHead(reply);
    const lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket"];
    for (let index = 0; index < headers.length; index += 2) {
      lines.push(`${headers[index]}: ${headers[index + 1]}`);
    }
    if (socket instanceof Socket) this.admitted.response.detachSocket(socket);
    socket.off("data", this.#onEarly);
    socket.write(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
    socket.write(early);
    for (const piece of this.#early.splice(0)) upstream.write(piece);
    upstream.on("error", () => socket.destroy());
    upstream.once("close", () => socket.destroy());
    upstream.on("data", (piece: Buffer) => {
      this.#sentBytes += piece.length;
    });
    socket.on("data", (piece: Buffer) => {
      this.#receivedBytes += piece.length;
    });
    socket.pipe(upstream).pipe(socket);
  }

  /** Passes on a reply that is not a WebSocket upgrade. */
  #passRefusal(reply: IncomingMessage): void {
    const { response } = this.admitted;
    const { status, statusText, headers } = this.#readHead(reply);
    this.#status = status;
    response.writeHead(status, statusText, [...headers, "Connection", "close"]);
    reply.pipe(response);
    reply.once("error", () => this.cut());
  }

  #readHead(reply: IncomingMessage): ReadReplyHead {
    this.#firstByteMs = this.#context.clock.now() - this.admitted.arrivedAt;
    const { statusCode = 502, rawHeaders, statusMessage = "" } = reply;
    return readReplyHead(statusCode, rawHeaders, statusMessage, this.#claim.facts());
  }

  #onError(error: Error): void {
    if (this.#isOver || this.#refusal !== undefined) return;
    if (this.#firstByteMs !== undefined) {
      this.cut();
      return;
    }
    const code = "code" in error ? error.code : undefined;
    this.#retry(code === "ECONNREFUSED" ? "refused" : "disconnected");
  }

  #onGone(outgoing: ClientRequest): void {
    if (this.#isOver || this.#refusal !== undefined || outgoing !== this.#outgoing) return;
    if (this.#firstByteMs !== undefined) {
      this.cut();
      return;
    }
    this.#outgoing = undefined;
    outgoing.destroy();
    this.#retry("gone");
  }

  #retry(kind: FailureKind): void {
    const mayRepeat = !this.admitted.head.forbidsRetry;
    if (mayRepeat && this.#claim.changeReplica(kind !== "disconnected")) return;
    this.refuse(attemptRefusals[kind]);
  }

  #stop(): void {
    clearTimeout(this.#handshakeTimer);
    this.#unwatch();
    this.#outgoing?.destroy();
    this.#upstream?.destroy();
    this.#claim.end();
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop();
    const hasLeft = this.#status === 499;
    const record = {
      ...this.#claim.record(),
      status: this.#status,
      errorType: hasLeft ? "client_disconnected" : this.#refusal?.type,
      firstByteMs: this.#firstByteMs,
      receivedBytes: this.#receivedBytes,
      sentBytes: this.#sentBytes,
    };
    this.#context.observe(record, this.admitted);
  }
}
