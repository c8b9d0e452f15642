// The queue's paths: checks callers, reads bodies, and passes commands on to the control plane.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { watchBodyRate } from "../../base/body-rate.ts";
import { watchHalfClosed } from "../../base/http-connection.ts";
import { askSocket } from "../http-socket.ts";
import {
  type QueueCommand,
  type QueuePath,
  queuePathPrefix,
  readQueuePath,
  type Submission,
  webhookKeysPath,
} from "../queue/queue-command.ts";
import type { QueueLimits } from "../queue/queue-limits.ts";
import { withBody } from "../queue/run-messages.ts";
import type { Admission } from "./admission.ts";
import type { Origin } from "./client-address.ts";
import { bodyRefusal, bodyTooSlow, tooLarge } from "./exchange-refusals.ts";
import type { GatewayLimits } from "./gateway-options.ts";
import type { Refusal } from "./refusals.ts";
import { RequestBody, type WaitingBytes } from "./request-body.ts";
import { type RequestHead, withoutHeaders } from "./request-head.ts";
import { type AppPath, withoutQuery } from "./request-path.ts";

export interface QueueRouteOptions {
  admission: Admission;
  /** Socket of the control plane. */
  socketPath: string;
  queueLimits: Pick<QueueLimits, "requestBytes">;
  limits: GatewayLimits;
  waiting: WaitingBytes;
}

export interface QueueCall {
  id: string;
  request: IncomingMessage;
  response: ServerResponse;
  head: RequestHead;
  origin: Origin;
  /** @param path counts the request as one of its app */
  refuse: (refusal: Refusal, path?: AppPath) => void;
}

/** Time for a control plane to come back. */
const patienceMs = 20_000;
const retryMs = 100;
const longestIdempotencyKey = 255;

/** Not stored: the result is read by another request, which may want another encoding. */
const notStored: ReadonlySet<string> = new Set(["accept-encoding", "expect", "x-fal-request-id"]);

export class QueueRoute {
  readonly #options: QueueRouteOptions;

  constructor(options: QueueRouteOptions) {
    this.#options = options;
  }

  /** True for a target that this route answers. */
  isOwn(target: string): boolean {
    return target.startsWith(queuePathPrefix) || withoutQuery(target) === webhookKeysPath;
  }

  /** Answers or refuses the call. */
  answer(call: QueueCall): void {
    const { request, head, origin, refuse } = call;
    const { method = "", url = "" } = request;
    if (withoutQuery(url) === webhookKeysPath) {
      if (method !== "GET") {
        refuse(notFound);
        return;
      }
      this.#pass(call, { action: "webhook-keys" });
      return;
    }
    const path = readQueuePath(method, url);
    if (path === undefined) {
      refuse(notFound);
      return;
    }
    const { organisation, app, action } = path;
    const isSubmission = action === "submit";
    const caller = { head, method, address: origin.address };
    const decision = this.#options.admission.admitToQueue(path, caller, isSubmission);
    if ("refusal" in decision) {
      const isKnown = isSubmission && decision.traffic !== undefined;
      refuse(decision.refusal, isKnown ? path : undefined);
      return;
    }
    const { key } = decision;
    const common = {
      ...{ organisation, app, caller: key?.organisation ?? "" },
      baseUrl: `${origin.askedUrl}${queuePathPrefix.slice(0, -1)}`,
    };
    if (action !== "submit") {
      const logs = new URLSearchParams(url.split("?")[1]).get("logs");
      const withLogs = logs === "1" || logs?.toLowerCase() === "true";
      this.#pass(call, { ...common, action, requestId: path.requestId, withLogs });
      return;
    }
    const submission = readSubmission(path, call, key?.id);
    if ("type" in submission) {
      refuse(submission, path);
      return;
    }
    const command = { ...common, action, requestId: randomUUID(), submission } as const;
    this.#readBody(call, path, (body) => this.#pass(call, command, body));
  }

  #readBody(call: QueueCall, path: AppPath, onBody: (body: Buffer) => void): void {
    const { request, response, head } = call;
    const { limits, waiting, queueLimits } = this.#options;
    const maxBytes = queueLimits.requestBytes;
    if ((head.contentLength ?? 0) > maxBytes) {
      call.refuse(tooLarge(maxBytes), path);
      return;
    }
    if (head.expect !== undefined) response.writeContinue();
    let isRefused = false;
    const refuse = (refusal: Refusal) => {
      if (isRefused) return;
      isRefused = true;
      call.refuse(refusal, path);
    };
    watchBodyRate(request, limits.uploadRate, () => refuse(bodyTooSlow(limits.uploadRate)));
    const body = new RequestBody(request, {
      ...{ maxBytes, repeatableBytes: maxBytes, waiting },
      onFault: (fault) => refuse(bodyRefusal(fault, { ...limits, bodyBytes: maxBytes })),
    });
    response.once("close", () => body.drop());
    body.whenComplete(() => {
      const whole = body.peek(maxBytes);
      if (whole !== undefined && !isRefused) onBody(whole);
    });
  }

  /** Commands may be sent twice, so one is sent again to a control plane that comes back. */
  #pass(call: QueueCall, command: QueueCommand, body: Buffer = Buffer.alloc(0)): void {
    const { request, response } = call;
    watchHalfClosed(request, response, () => {});
    const message = withBody(command, body);
    void this.#send(call, message).then((reply) => {
      if (response.destroyed) {
        reply?.destroy();
        return;
      }
      if (reply === undefined) {
        call.refuse(unavailable);
        return;
      }
      const headers = reply.rawHeaders.concat("X-Dctl-Request-Id", call.id);
      response.writeHead(reply.statusCode ?? 502, headers);
      response.flushHeaders();
      reply.pipe(response);
      // The reply of a control plane that dies is broken off.
      reply.once("close", () => {
        if (!reply.complete) response.destroy();
      });
      response.once("close", () => reply.destroy());
    });
  }

  async #send({ response }: QueueCall, body: Buffer): Promise<IncomingMessage | undefined> {
    const { socketPath } = this.#options;
    const deadline = performance.now() + patienceMs;
    while (!response.destroyed && performance.now() < deadline) {
      try {
        return await askSocket({ socketPath, method: "POST", path: "/", body });
      } catch {
        // No control plane runs, or it has died with the command.
        await wait(retryMs);
      }
    }
    return undefined;
  }
}

/** @returns a refusal if a header is invalid */
function readSubmission(
  { rest }: QueuePath,
  { head, origin }: QueueCall,
  keyId: string | undefined,
): Submission | Refusal {
  const { startTimeout, priority, idempotencyKey, affinity, allowsRetry } = head;
  const seconds = startTimeout === undefined ? undefined : Number(startTimeout);
  if (seconds !== undefined && (startTimeout?.trim() === "" || !(seconds >= 0))) {
    const detail = "X-Fal-Request-Timeout must be a number of seconds, such as 30.";
    return { type: "bad_request", detail };
  }
  if (priority !== undefined && priority !== "normal" && priority !== "low") {
    return { type: "bad_request", detail: "X-Fal-Queue-Priority must be 'normal' or 'low'." };
  }
  if (idempotencyKey !== undefined && idempotencyKey.length > longestIdempotencyKey) {
    const detail = `Idempotency-Key is longer than ${longestIdempotencyKey} characters.`;
    return { type: "bad_request", detail };
  }
  const { path, webhook } = withoutWebhook(rest);
  return {
    ...{ keyId, path, webhook, affinity, idempotencyKey },
    headers: withoutHeaders(head.passed, notStored),
    address: origin.address,
    forwardHeaders: origin.forwardHeaders,
    isLowPriority: priority === "low",
    isRepeatable: allowsRetry,
    startTimeoutMs: seconds === undefined ? undefined : seconds * 1000,
  };
}

/** Takes the webhook out of a path's query. */
function withoutWebhook(rest: string): { path: string; webhook: string | undefined } {
  const mark = rest.indexOf("?");
  if (mark < 0) return { path: rest, webhook: undefined };
  const parts = rest.slice(mark + 1).split("&");
  const webhook = new URLSearchParams(rest.slice(mark + 1)).get("fal_webhook") ?? undefined;
  const others = parts.filter((part) => !part.startsWith("fal_webhook=")).join("&");
  const path = rest.slice(0, mark);
  return { path: others === "" ? path : `${path}?${others}`, webhook };
}

const notFound: Refusal = {
  type: "not_found",
  detail:
    "Not found. Submit with POST /queue/organisation/app, and ask GET /queue/organisation/app/requests/ID/status.",
};

const unavailable: Refusal = {
  type: "queue_unavailable",
  detail: "The queue is not available, as the control plane is restarting. Try again in a moment.",
  retryAfterSeconds: 5,
};
