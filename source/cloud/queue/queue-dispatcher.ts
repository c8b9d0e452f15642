// Sends waiting requests to the gateway while replicas have room, and stores their results.
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import { describeError } from "../../base/product-error.ts";
import { type ErrorType, refusalBody, refusalStatuses } from "../gateway/refusals.ts";
import type { CloudKey } from "../keys/cloud-key.ts";
import type { AppKey } from "../state/app-records.ts";
import type { GatewayRuns, RunOutcome, StartedRun } from "./gateway-runs.ts";
import type { QueueLimits } from "./queue-limits.ts";
import type { QueuedRequest, QueueStore } from "./queue-store.ts";
import type { RunOrder } from "./run-messages.ts";
import { judge } from "./run-verdict.ts";

export interface DispatcherOptions {
  store: QueueStore;
  runs: GatewayRuns;
  limits: QueueLimits;
  clock: Clock;
  /** Number of requests that the open replicas of an app take at a time. */
  openSlots: (app: AppKey) => number;
  findKey: (keyId: string) => CloudKey | undefined;
  /** Called when a request has started, ended or gone back. */
  onChange: (request: AppKey & { id: string }) => void;
  log: (text: string) => void;
}

const resumeEveryMs = 250;
const storeEveryMs = 1000;

export class QueueDispatcher {
  readonly #options: DispatcherOptions;
  /** Requests that this process sends or follows. */
  readonly #active = new Map<string, Promise<void>>();
  #isStopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Follows requests that an earlier control plane has sent. */
  resume(): void {
    for (const request of this.#options.store.sent()) {
      this.#track(request.id, this.#resume(request));
    }
  }

  /** Fails requests that are late, and sends others. */
  dispatch(): void {
    const { store, openSlots } = this.#options;
    if (this.#isStopped) return;
    for (const request of store.late()) this.failLate(request);
    for (const app of store.openApps()) {
      let free = openSlots(app) - app.sent - app.running;
      for (; free > 0; free -= 1) {
        const request = store.next(app);
        if (request === undefined) break;
        // Reserved before the gateway is asked who it is.
        store.markSent(request.id, "");
        this.#track(request.id, this.#send(request));
      }
    }
  }

  failLate({ id, organisation, app, submission }: QueuedRequest): void {
    const { expiryMs } = this.#options.limits;
    const { startTimeoutMs = expiryMs } = submission;
    const detail = `No replica took the request within ${startTimeoutMs / 1000} s.`;
    const setBy = submission.startTimeoutMs === undefined ? "app" : "user";
    const headers = ["X-Fal-Request-Timeout-Type", setBy, "X-Dctl-Timeout-Type", setBy];
    this.fail({ id, organisation, app }, "queue_timeout", detail, headers);
  }

  /** Ends a request with an error of the queue. @returns false if it had already ended */
  fail(
    request: AppKey & { id: string },
    type: ErrorType,
    detail: string,
    more: string[] = [],
  ): boolean {
    const { store, onChange, limits, clock } = this.#options;
    const hasEnded = store.finish(request.id, {
      status: refusalStatuses[type],
      headers: ["Content-Type", "application/json", "X-Dctl-Error-Type", type, ...more],
      body: Buffer.from(refusalBody({ type, detail }, request.id)),
      errorType: type,
      error: detail,
      expiresAt: clock.wallMs() + limits.expiryMs,
    });
    if (hasEnded) onChange(request);
    return hasEnded;
  }

  /** Sends no further requests. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves once the results of running requests are stored; call after `stop`. */
  async close(): Promise<void> {
    await Promise.all(this.#active.values());
  }

  #track(id: string, work: Promise<void>): void {
    const { log } = this.#options;
    const tracked = work
      .catch((error: unknown) => log(`queued request ${id}: ${describeError(error)}`))
      .finally(() => this.#active.delete(id));
    this.#active.set(id, tracked);
  }

  async #send(request: QueuedRequest): Promise<void> {
    const { store, runs, clock } = this.#options;
    const gateway = await runs.gateway();
    if (gateway === undefined) {
      return await this.#settle(request, { kind: "lost", wasStarted: false });
    }
    const body = store.body(request.id, "request");
    // It may have been cancelled meanwhile.
    if (store.find(request.id)?.state !== "sent") return;
    store.markSent(request.id, gateway);
    const startTimeoutMs = Math.max(0, request.startBy - clock.wallMs());
    const order = { ...this.#orderOf(request), startTimeoutMs };
    await this.#settle(
      request,
      await runs.run(order, body, (run) => this.#noteStart(request, run)),
    );
  }

  #orderOf(request: QueuedRequest): Omit<RunOrder, "startTimeoutMs"> {
    const { findKey, limits } = this.#options;
    const { id, organisation, app, submission } = request;
    const { keyId, path, headers, address, forwardHeaders, affinity } = submission;
    return {
      ...{ id, organisation, app, path, address, forwardHeaders, affinity },
      headers: [...headers, "X-Fal-Request-Id", id],
      key: keyId === undefined ? undefined : findKey(keyId),
      maxResultBytes: limits.resultBytes,
    };
  }

  async #resume(request: QueuedRequest): Promise<void> {
    const { runs } = this.#options;
    const { id, gateway } = request;
    let outcome: RunOutcome | undefined;
    if (gateway === "") outcome = { kind: "lost", wasStarted: false };
    while (outcome === undefined) {
      outcome = await runs.resume(id, gateway, (run) => this.#noteStart(request, run));
      if (this.#isStopped) return;
      if (outcome === undefined) await wait(resumeEveryMs);
    }
    await this.#settle(request, outcome);
  }

  #noteStart(request: QueuedRequest, run: StartedRun): void {
    const { store, onChange } = this.#options;
    store.markRunning(request.id, run);
    onChange(request);
  }

  /** Tries again while the result cannot be stored; the gateway holds it until then. */
  async #settle(request: QueuedRequest, outcome: RunOutcome): Promise<void> {
    const { log, runs } = this.#options;
    for (;;) {
      try {
        this.#store(request, outcome);
        break;
      } catch (error) {
        log(`cannot store the result of the queued request ${request.id}: ${describeError(error)}`);
        if (this.#isStopped) return;
        await wait(storeEveryMs);
      }
    }
    if (outcome.kind === "ended") await runs.end(request.id);
    this.#options.onChange(request);
  }

  #store(request: QueuedRequest, outcome: RunOutcome): void {
    const { store, limits, clock } = this.#options;
    const current = store.find(request.id);
    if (current === undefined || current.state === "done") return;
    // A run of an earlier gateway may have started without a report.
    const isUnreported = outcome.wasStarted && current.state === "sent";
    const attempts = current.attempts + (isUnreported ? 1 : 0);
    const verdict = judge({ ...current, attempts }, outcome);
    if (verdict.kind === "again") {
      const notBefore = clock.wallMs() + verdict.delayMs;
      store.putBack(request.id, { notBefore, attempts: verdict.attempts });
    } else if (verdict.kind === "fail" || outcome.kind === "lost") {
      this.fail(request, "runner_disconnected", lostDetail);
    } else {
      const { status, headers, body, errorType } = outcome;
      store.finish(request.id, {
        ...{ status, headers, body, errorType },
        error: errorType === undefined ? undefined : detailOf(body),
        expiresAt: clock.wallMs() + limits.expiryMs,
      });
    }
  }
}

const lostDetail =
  "The gateway ended while a replica worked on the request. Submit it again, or with X-Dctl-Retry: 1 if the app may get it twice.";

/** Returns the message of a gateway's error. */
function detailOf(body: Buffer): string | undefined {
  const { detail }: { detail?: string } = JSON.parse(body.toString("utf8"));
  return detail;
}
