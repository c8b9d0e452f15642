// Course of one admitted request: attempts at replicas, the response, the record.
import { watchBodyRate } from "../../base/body-rate.ts";
import { watchHalfClosed } from "../../base/http-connection.ts";
import { ReplyTail } from "../metrics/reply-tail.ts";
import type { AdmittedRequest, ExchangeContext } from "./admitted-request.ts";
import { Attempt, type AttemptFailure, type AttemptListener, type RawHeaders } from "./attempt.ts";
import { type Conversation, readConversation } from "./conversations.ts";
import {
  asksForStream,
  earlyHeaders,
  LateError,
  mayStreamEarly,
  startingComment,
  startingCommentMs,
} from "./early-stream.ts";
import type { ExchangeRecord } from "./exchange-record.ts";
import {
  attemptRefusals,
  bodyRefusal,
  bodyTooSlow,
  requestTimeout,
  tooLarge,
} from "./exchange-refusals.ts";
import { ModelsRecording } from "./models-endpoint.ts";
import { type Refusal, sendRefusal, statusOf } from "./refusals.ts";
import { ReplicaClaim } from "./replica-claim.ts";
import { replicaHeaders } from "./replica-headers.ts";
import type { ReplicaSlot } from "./replica-slot.ts";
import { Reply } from "./reply.ts";
import { readReplyHead } from "./reply-head.ts";
import { discardRest, RequestBody } from "./request-body.ts";
import { withoutQuery } from "./request-path.ts";

const longestTimeoutMs = 2 ** 31 - 1;
const anthropicPath = "/v1/messages";

export class Exchange implements AttemptListener {
  readonly admitted: AdmittedRequest;
  readonly #context: ExchangeContext;
  readonly #keepAliveMs: number;
  readonly #reply: Reply;
  readonly #claim: ReplicaClaim;
  #body: RequestBody | undefined;
  #attempt: Attempt | undefined;
  #tail: ReplyTail | undefined;
  #recording: ModelsRecording | undefined;
  #mayEndWithError = false;
  /** True if the reply ends with its connection, and so looks complete when its replica dies. */
  #endsByClosing = false;
  /** Reply of a replica that cannot follow the early head. */
  #lateError: LateError | undefined;
  #requestTimer: NodeJS.Timeout | undefined;
  #hasRepeatedAtOnce = false;
  #isOver = false;
  #refusal: Refusal | undefined;
  #firstByteMs: number | undefined;

  constructor(admitted: AdmittedRequest, context: ExchangeContext) {
    this.admitted = admitted;
    this.#context = context;
    const { limits } = context;
    const { sseKeepAliveMs = 0 } = admitted.traffic.routed;
    this.#keepAliveMs = Math.min(sseKeepAliveMs, longestTimeoutMs);
    const namesErrors = withoutQuery(admitted.path.rest) === anthropicPath;
    const options = { limits, keepAliveMs: this.#keepAliveMs, namesErrors };
    this.#reply = new Reply(admitted.response, options, () => this.#attempt?.resume());
    this.#claim = new ReplicaClaim(admitted, context.clock, {
      onGranted: (slot) => this.#begin(slot),
      onRefused: (refusal) => this.refuse(refusal),
    });
    admitted.response.once("close", () => this.#close());
    watchHalfClosed(admitted.request, admitted.response, () => this.#reply.sendKeepAlive());
  }

  /** Starts the exchange; called once. */
  start(): void {
    const { request, response, head } = this.admitted;
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
      maxBytes: limits.bodyBytes,
      repeatableBytes: limits.repeatableBytes,
      waiting,
      onFault: (fault) => this.refuse(bodyRefusal(fault, limits)),
    });
    // Short bodies are read first, so that a slow upload does not occupy a replica.
    const isShort = head.transferCoding === undefined && length <= limits.repeatableBytes;
    if (!isShort) this.#claim.seek();
    this.#body.whenComplete(() => {
      if (isShort) {
        this.#claim.conversation = this.#readConversation();
        this.#claim.seek();
      }
      this.#beginEarly();
    });
  }

  onHead(status: number, rawHeaders: RawHeaders, statusText: string): void {
    const { slot } = this.#claim;
    if (slot === undefined) return;
    this.#firstByteMs = this.#context.clock.now() - this.admitted.arrivedAt;
    const head = readReplyHead(status, rawHeaders, statusText, this.#claim.facts());
    if (head.wantsStop) this.#context.onStopRequested(slot.replica);
    if (this.#reply.isEarly && !(status === 200 && head.hasEvents)) {
      this.#lateError = new LateError(head);
      this.#endLate();
      return;
    }
    this.#endsByClosing = head.endsByClosing && this.admitted.request.method !== "HEAD";
    this.#mayEndWithError = head.mayEndWithError;
    if (head.isReadable) this.#tail = new ReplyTail();
    this.#recording = ModelsRecording.begin(this.admitted, slot.revision, { status, rawHeaders });
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
    this.#context.buffers.note(piece.length);
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
    if (this.#endsByClosing) void this.#endIfListening();
    else this.#end();
  }

  #end(): void {
    this.#recording?.end(this.#context.clock.now());
    this.#reply.end();
  }

  /** A replica that was killed has closed its port before its connections. */
  async #endIfListening(): Promise<void> {
    const isListening = await this.#claim.slot?.pool.isListening();
    if (this.#isOver || this.#refusal !== undefined) return;
    if (isListening === true) this.#end();
    else this.refuse(attemptRefusals.disconnected);
  }

  onFailure(failure: AttemptFailure): void {
    this.#attempt = undefined;
    const { slot } = this.#claim;
    if (this.#lateError !== undefined) {
      this.refuse(this.#lateError.refusal());
      return;
    }
    if (slot === undefined || !this.#mayRepeat(failure)) {
      this.refuse(attemptRefusals[failure.kind]);
      return;
    }
    const isStale = failure.kind === "disconnected" && failure.wasReused;
    if (isStale && !this.#hasRepeatedAtOnce) {
      // The replica may have closed the idle connection just as the request was sent.
      this.#hasRepeatedAtOnce = true;
      this.#try(slot);
      return;
    }
    const goesOn = this.#claim.changeReplica(failure.kind !== "disconnected");
    if (!goesOn) this.refuse(attemptRefusals[failure.kind]);
  }

  /** Ends the exchange with an error of the gateway. */
  refuse(refusal: Refusal): void {
    if (this.#isOver || this.#refusal !== undefined) return;
    this.#refusal = refusal;
    this.#stop();
    if (this.#reply.hasBegun) {
      this.#reply.abort(refusal);
      return;
    }
    const { request, response, id, head } = this.admitted;
    sendRefusal(request, response, refusal, {
      requestId: id,
      lingerMs: this.#context.limits.lingerMs,
      holdsBody: head.expect !== undefined && this.#body === undefined,
    });
  }

  /** Destroys the connection at once. */
  cut(): void {
    this.admitted.response.destroy();
  }

  /** Returns undefined for an app with a single replica, where there is nothing to choose. */
  #readConversation(): Conversation | undefined {
    const { head, key, traffic } = this.admitted;
    const { scale, candidate } = traffic.routed;
    const isSingle = scale.maxConcurrency === 1 && candidate === undefined;
    if (head.affinity !== undefined || isSingle) return undefined;
    const body = this.#body?.peek(this.#context.limits.repeatableBytes);
    return body && readConversation(body, key?.organisation ?? "");
  }

  /** Starts the stream before there is a replica, if app and request allow it. */
  #beginEarly(): void {
    const { id, traffic } = this.admitted;
    if (this.admitted.run !== undefined) return;
    if (!this.#claim.isWaiting || traffic.isOpenFor(this.#claim)) return;
    if (!mayStreamEarly(this.admitted)) return;
    const body = this.#body?.peek(this.#context.limits.readableBytes);
    if (body === undefined || !asksForStream(body)) return;
    const everyMs = this.#keepAliveMs > 0 ? this.#keepAliveMs : startingCommentMs;
    this.#reply.beginEarly(earlyHeaders(id), { comment: startingComment, everyMs });
  }

  /** Refuses once enough of the replica's error is known. */
  #endLate(): void {
    if (this.#lateError?.isComplete === true) this.refuse(this.#lateError.refusal());
  }

  #begin(slot: ReplicaSlot): void {
    const { requestTimeoutMs } = this.admitted.traffic.routed.limits;
    if (requestTimeoutMs > 0 && this.#requestTimer === undefined) {
      const timeoutMs = Math.min(requestTimeoutMs, longestTimeoutMs);
      this.#requestTimer = setTimeout(() => this.refuse(requestTimeout(timeoutMs)), timeoutMs);
    }
    this.#try(slot);
  }

  #try(slot: ReplicaSlot): void {
    const { request, path } = this.admitted;
    const { run } = this.admitted;
    const attempt = new Attempt(slot, this, { onNewConnection: run !== undefined });
    this.#attempt = attempt;
    run?.onDispatched(slot);
    attempt.send({
      method: request.method ?? "GET",
      path: path.rest,
      headers: replicaHeaders(this.admitted, this.#body, {
        revision: slot.revision,
        isUnencoded: this.#reply.isEarly,
      }),
      body: this.#body?.take() ?? null,
    });
  }

  #mayRepeat({ kind }: AttemptFailure): boolean {
    if (kind !== "refused" && kind !== "disconnected" && kind !== "gone") return false;
    if (this.admitted.head.forbidsRetry) return false;
    if (this.#reply.hasBegun && !this.#reply.isEarly) return false;
    return this.#body === undefined || this.#body.isRepeatable;
  }

  /** Leaves the queue or the replica at once. */
  #stop(): void {
    clearTimeout(this.#requestTimer);
    this.#attempt?.giveUp();
    this.#attempt = undefined;
    this.#body?.drop();
    this.#claim.end();
  }

  /** Finishes after the response was sent or the client disconnected. */
  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop();
    this.#reply.close();
    const { request } = this.admitted;
    const { limits, observe } = this.#context;
    if (!request.complete && !request.destroyed) discardRest(request, limits.lingerMs);
    observe(this.#record(), this.admitted);
    this.admitted.run?.onOver(this.#refusal);
  }

  #record(): ExchangeRecord {
    const { response } = this.admitted;
    const refusal = this.#refusal;
    const hasLeft = !response.writableFinished && refusal === undefined;
    // The early head was sent with status 200.
    const isUntold = this.#reply.isEarly && refusal !== undefined;
    const status = isUntold ? statusOf(refusal) : response.statusCode;
    const hasFailed = this.#mayEndWithError && this.#tail?.endsWithError() === true;
    const errorType = refusal?.type ?? (hasFailed ? "runner_error" : undefined);
    return {
      ...this.#claim.record(),
      status: hasLeft ? 499 : status,
      errorType: hasLeft ? "client_disconnected" : errorType,
      isQueued: this.admitted.run !== undefined,
      firstByteMs: this.#firstByteMs,
      receivedBytes: this.#body?.receivedBytes ?? 0,
      sentBytes: this.#reply.sentBytes,
      tokens: this.#tail?.read(),
    };
  }
}
