// One request from its admission to its end: tries at replicas, the reply, the record.
import { watchBodyRate } from "../../base/body-rate.ts";
import { watchHalfClosed } from "../../base/half-closed.ts";
import { TokenTail } from "../metrics/token-tail.ts";
import type { Arrival, ExchangeContext } from "./arrival.ts";
import { Attempt, type AttemptFailure, type AttemptListener, type RawHeaders } from "./attempt.ts";
import {
  asksForStream,
  earlyHeaders,
  LateError,
  mayStreamEarly,
  startingComment,
  startingCommentMs,
} from "./early-stream.ts";
import { type ExchangeRecord, openRecord } from "./exchange-record.ts";
import {
  bodyRefusal,
  bodyTooSlow,
  refuseAttempt,
  requestTimeout,
  tooLarge,
} from "./exchange-refusals.ts";
import { ModelsRecording } from "./models-cache.ts";
import { type Refusal, statusOf } from "./refusals.ts";
import { ReplicaClaim } from "./replica-claim.ts";
import { replicaHeaders } from "./replica-headers.ts";
import type { ReplicaSlot } from "./replica-slot.ts";
import { Reply, sendRefusal } from "./reply.ts";
import { readReplyHead } from "./reply-head.ts";
import { discardRest, RequestBody } from "./request-body.ts";
import { withoutQuery } from "./request-path.ts";

const longestTimeoutMs = 2 ** 31 - 1;
const anthropicPath = "/v1/messages";

export class Exchange implements AttemptListener {
  readonly arrival: Arrival;
  readonly #context: ExchangeContext;
  readonly #keepAliveMs: number;
  readonly #reply: Reply;
  readonly #claim: ReplicaClaim;
  #body: RequestBody | undefined;
  #attempt: Attempt | undefined;
  #tail: TokenTail | undefined;
  #recording: ModelsRecording | undefined;
  /** Of a replica whose reply came after an early head, and does not fit behind it. */
  #lateError: LateError | undefined;
  #requestTimer: NodeJS.Timeout | undefined;
  #hasRepeatedAtOnce = false;
  #isOver = false;
  #refusal: Refusal | undefined;
  #firstByteMs: number | undefined;

  constructor(arrival: Arrival, context: ExchangeContext) {
    this.arrival = arrival;
    this.#context = context;
    const { limits } = context;
    const { sseKeepAliveMs = 0 } = arrival.traffic.routed;
    this.#keepAliveMs = Math.min(sseKeepAliveMs, longestTimeoutMs);
    const namesErrors = withoutQuery(arrival.path.rest) === anthropicPath;
    const options = { limits, keepAliveMs: this.#keepAliveMs, namesErrors };
    this.#reply = new Reply(arrival.response, options, () => this.#attempt?.resume());
    this.#claim = new ReplicaClaim({
      traffic: arrival.traffic,
      rules: arrival.rules,
      head: arrival.head,
      arrivedAt: arrival.arrivedAt,
      clock: context.clock,
      onGranted: (slot) => this.#begin(slot),
      onRefused: (refusal) => this.refuse(refusal),
    });
    arrival.response.once("close", () => this.#close());
    watchHalfClosed(arrival.request, arrival.response, () => this.#reply.breakSilence());
  }

  /** Called once. */
  start(): void {
    const { request, response, head } = this.arrival;
    const { limits, waiting } = this.#context;
    const length = head.contentLength ?? 0;
    if (length === 0 && head.transferCoding === undefined) {
      this.#claim.seek();
      return;
    }
    if (length > limits.bodyBytes) {
      this.refuse(tooLarge(limits.bodyBytes));
      return;
    }
    watchBodyRate(request, limits.uploadRate, () => this.refuse(bodyTooSlow(limits.uploadRate)));
    if (head.expect !== undefined) response.writeContinue();
    this.#body = new RequestBody(request, {
      mostBytes: limits.bodyBytes,
      repeatableBytes: limits.repeatableBytes,
      waiting,
      onFault: (fault) => this.refuse(bodyRefusal(fault, limits)),
    });
    // A replica is not kept waiting for a client's upload, unless it is a long one.
    const isShort = head.transferCoding === undefined && length <= limits.repeatableBytes;
    if (!isShort) this.#claim.seek();
    this.#body.whenComplete(() => {
      if (isShort) this.#claim.seek();
      this.#beginEarly();
    });
  }

  onHead(status: number, rawHeaders: RawHeaders, statusText: string): void {
    const { slot, queueMs, grantedAt, isColdStart } = this.#claim;
    if (slot === undefined) return;
    const now = this.#context.clock.now();
    this.#firstByteMs = now - this.arrival.arrivedAt;
    const head = readReplyHead(status, rawHeaders, statusText, {
      requestId: this.arrival.id,
      replica: slot.replica,
      revision: slot.revision,
      queueMs,
      replicaMs: now - grantedAt,
      isColdStart,
    });
    if (head.wantsStop) this.#context.onStopWish(slot.replica);
    if (this.#reply.isEarly && !(status === 200 && head.hasEvents)) {
      this.#lateError = new LateError(head);
      this.#endLate();
      return;
    }
    if (head.isReadable) this.#tail = new TokenTail();
    this.#recording = ModelsRecording.begin(this.arrival, slot.revision, { status, rawHeaders });
    this.#reply.begin(head);
  }

  onPiece(piece: Buffer): boolean {
    if (this.#lateError !== undefined) {
      this.#lateError.push(piece);
      this.#endLate();
      return true;
    }
    this.#recording?.push(piece);
    this.#tail?.push(piece);
    this.#context.spent.note(piece.length);
    return this.#reply.write(piece);
  }

  onEnd(): void {
    this.#attempt = undefined;
    clearTimeout(this.#requestTimer);
    this.#claim.finish();
    if (this.#lateError !== undefined) {
      this.refuse(this.#lateError.refusal());
      return;
    }
    this.#recording?.end(this.#context.clock.now());
    this.#reply.end();
  }

  onFailure(failure: AttemptFailure): void {
    this.#attempt = undefined;
    const { slot } = this.#claim;
    if (this.#lateError !== undefined) {
      this.refuse(this.#lateError.refusal());
      return;
    }
    if (slot === undefined || !this.#mayRepeat(failure)) {
      this.refuse(refuseAttempt(failure.kind));
      return;
    }
    const isStale = failure.kind === "disconnected" && failure.wasReused;
    if (isStale && !this.#hasRepeatedAtOnce) {
      // The replica may have closed the idle connection just when the request was on its way.
      this.#hasRepeatedAtOnce = true;
      this.#try(slot);
      return;
    }
    const goesOn = this.#claim.changeReplica(failure.kind === "refused");
    if (!goesOn) this.refuse(refuseAttempt(failure.kind));
  }

  /** Ends it with an error of the gateway's own. */
  refuse(refusal: Refusal): void {
    if (this.#isOver || this.#refusal !== undefined) return;
    this.#refusal = refusal;
    this.#stop();
    if (this.#reply.hasBegun) {
      this.#reply.breakOff(refusal);
      return;
    }
    const { request, response, id, head } = this.arrival;
    sendRefusal(request, response, refusal, {
      requestId: id,
      lingerMs: this.#context.limits.lingerMs,
      holdsBody: head.expect !== undefined && this.#body === undefined,
    });
  }

  /** Ends it at once, whatever was sent. */
  cut(): void {
    this.arrival.response.destroy();
  }

  /** Where the app sleeps and the request is for a stream, the stream need not wait. */
  #beginEarly(): void {
    const { id, traffic } = this.arrival;
    if (!this.#claim.isWaiting || traffic.isOpen || !mayStreamEarly(this.arrival)) return;
    const body = this.#body?.peek(this.#context.limits.readableBytes);
    if (body === undefined || !asksForStream(body)) return;
    const everyMs = this.#keepAliveMs > 0 ? this.#keepAliveMs : startingCommentMs;
    this.#reply.beginEarly(earlyHeaders(id), { comment: startingComment, everyMs });
  }

  /** Once the replica's error is known, or too long. */
  #endLate(): void {
    if (this.#lateError?.isComplete === true) this.refuse(this.#lateError.refusal());
  }

  #begin(slot: ReplicaSlot): void {
    const { requestTimeoutMs } = this.arrival.traffic.routed.limits;
    if (requestTimeoutMs > 0 && this.#requestTimer === undefined) {
      const timeoutMs = Math.min(requestTimeoutMs, longestTimeoutMs);
      this.#requestTimer = setTimeout(() => this.refuse(requestTimeout(timeoutMs)), timeoutMs);
    }
    this.#try(slot);
  }

  #try(slot: ReplicaSlot): void {
    const { request, path } = this.arrival;
    const attempt = new Attempt(slot, this);
    this.#attempt = attempt;
    attempt.send({
      method: request.method ?? "GET",
      path: path.rest,
      headers: replicaHeaders(this.arrival, this.#body, { isUnencoded: this.#reply.isEarly }),
      body: this.#body?.take() ?? null,
    });
  }

  #mayRepeat({ kind }: AttemptFailure): boolean {
    if (kind !== "refused" && kind !== "disconnected") return false;
    if (this.arrival.head.forbidsRetry) return false;
    if (this.#reply.hasBegun && !this.#reply.isEarly) return false;
    return this.#body === undefined || this.#body.isRepeatable;
  }

  /** Leaves the queue, or the replica at once. */
  #stop(): void {
    clearTimeout(this.#requestTimer);
    this.#attempt?.giveUp();
    this.#attempt = undefined;
    this.#body?.drop();
    this.#claim.end();
  }

  /** The reply was sent to its end, or the client is gone. */
  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop();
    this.#reply.close();
    const { request } = this.arrival;
    const { limits, observe } = this.#context;
    if (!request.complete && !request.destroyed) discardRest(request, limits.lingerMs);
    observe(this.#record());
  }

  #record(): ExchangeRecord {
    const { response } = this.arrival;
    const { slot, isColdStart, queueMs } = this.#claim;
    const refusal = this.#refusal;
    const hasLeft = !response.writableFinished && refusal === undefined;
    // An early head could not say it.
    const isUntold = this.#reply.isEarly && refusal !== undefined;
    const status = isUntold ? statusOf(refusal) : response.statusCode;
    return {
      ...openRecord(this.arrival, this.#context.clock),
      revision: slot?.revision,
      replica: slot?.replica,
      status: hasLeft ? 499 : status,
      errorType: hasLeft ? "client_disconnected" : refusal?.type,
      isColdStart,
      queueMs,
      firstByteMs: this.#firstByteMs,
      receivedBytes: this.#body?.receivedBytes ?? 0,
      sentBytes: this.#reply.sentBytes,
      tokens: this.#tail?.read(),
    };
  }
}
