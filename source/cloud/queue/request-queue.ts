// Queue of requests: accepts them, has them sent to replicas, and keeps their results until they expire.
import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../../base/clock.ts";
import { formatBytes } from "../../base/formats.ts";
import { describeError } from "../../base/product-error.ts";
import type { Refusal } from "../gateway/refusals.ts";
import type { CloudKey } from "../keys/cloud-key.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import { GatewayRuns } from "./gateway-runs.ts";
import type { QueueCommand } from "./queue-command.ts";
import { QueueDispatcher } from "./queue-dispatcher.ts";
import type { QueueLimits } from "./queue-limits.ts";
import { type QueuedRequest, QueueStore } from "./queue-store.ts";
import { WebhookKey } from "./webhook-key.ts";
import { Webhooks } from "./webhooks.ts";

export interface RequestQueueOptions {
  stateFolder: string;
  limits: QueueLimits;
  /** Socket on which the gateway takes runs. */
  runsSocket: string;
  openSlots: (app: AppKey) => number;
  findKey: (keyId: string) => CloudKey | undefined;
  /** Called when the number of an app's waiting requests has changed. */
  onDemand: (app: AppKey) => void;
  log: (text: string) => void;
  clock?: Clock;
}

export type Submit = Extract<QueueCommand, { action: "submit" }>;

const shortestWaitMs = 250;
const longestWaitMs = 60_000;

export class RequestQueue {
  readonly store: QueueStore;
  readonly webhookKey: WebhookKey;
  readonly #options: RequestQueueOptions;
  readonly #clock: Clock;
  readonly #runs: GatewayRuns;
  readonly #dispatcher: QueueDispatcher;
  readonly #webhooks: Webhooks;
  readonly #listeners = new Set<() => void>();
  /** By `organisation/app`; undefined after a change. */
  #open: Map<string, { waiting: number; oldestAt: number }> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isWoken = false;
  #isClosed = false;

  /** @throws ProductError `CLOUD_STATE_UNUSABLE` and others of the database */
  constructor(options: RequestQueueOptions) {
    const { stateFolder, limits, runsSocket, log, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.store = QueueStore.open(stateFolder, log, clock);
    this.webhookKey = WebhookKey.open(stateFolder);
    this.#runs = new GatewayRuns(runsSocket);
    this.#dispatcher = new QueueDispatcher({
      ...{ store: this.store, runs: this.#runs, limits, clock, log },
      openSlots: options.openSlots,
      findKey: options.findKey,
      onChange: (request) => this.#noteChange(request),
    });
    this.#webhooks = new Webhooks({
      ...{ store: this.store, key: this.webhookKey, limits, clock, log },
      onAttempt: () => this.wake(),
    });
  }

  /** Goes on with what an earlier control plane has left. */
  start(): void {
    this.#dispatcher.resume();
    this.wake();
  }

  /** Looks at all requests and webhooks soon. */
  wake(): void {
    if (this.#isWoken || this.#isClosed) return;
    this.#isWoken = true;
    setImmediate(() => this.#work());
  }

  /** Sends no more requests; those with replicas go on. */
  stopSending(): void {
    this.#dispatcher.stop();
  }

  /** Call once the gateway has no more requests, after `stopSending`. */
  async close(): Promise<void> {
    await this.#dispatcher.close();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#webhooks.close();
    this.store.close();
  }

  /** Requests of an app that wait for a replica, and have not been sent to the gateway. */
  demand(app: AppKey): { queued: number; oldestQueuedMs: number } {
    if (this.#isClosed) return { queued: 0, oldestQueuedMs: 0 };
    this.#open ??= new Map(this.store.openApps().map((open) => [appName(open), open]));
    const { waiting = 0, oldestAt = 0 } = this.#open.get(appName(app)) ?? {};
    const oldestQueuedMs = waiting === 0 ? 0 : Math.max(0, this.#clock.wallMs() - oldestAt);
    return { queued: waiting, oldestQueuedMs };
  }

  /** @returns the stored request, which may be an earlier one with the same key, or a refusal */
  submit(command: Submit, body: Buffer): QueuedRequest | Refusal {
    const { requestId: id, organisation, app, caller, submission } = command;
    const sent = this.store.find(id);
    if (sent !== undefined) return sent;
    const digest = createHash("sha256").update(submission.path).update("\n").update(body);
    const text = digest.digest("hex");
    const { idempotencyKey, webhook, startTimeoutMs } = submission;
    if (idempotencyKey !== undefined) {
      const earlier = this.store.findRepeated({ organisation, app, caller }, idempotencyKey);
      if (earlier !== undefined) return earlier.digest === text ? earlier : mismatch;
    }
    const fault = webhook === undefined ? undefined : this.#webhooks.fault(webhook);
    if (fault !== undefined) return { type: "bad_request", detail: fault };
    const refusal = this.#refuseFull({ organisation, app }, body.length);
    if (refusal !== undefined) return refusal;
    const waitMs = Math.min(startTimeoutMs ?? Number.POSITIVE_INFINITY, this.#limits.expiryMs);
    const startBy = Math.ceil(this.#clock.wallMs() + waitMs);
    this.store.add({ id, organisation, app, caller, submission, digest: text, startBy, body });
    this.#noteChange({ organisation, app });
    return this.store.find(id) ?? unexpected;
  }

  /** @returns false if it had ended already */
  async cancel(request: QueuedRequest): Promise<boolean> {
    const detail = "The request was cancelled.";
    const isCancelled = this.#dispatcher.fail(request, "client_cancelled", detail);
    if (isCancelled && request.state !== "waiting") await this.#runs.end(request.id);
    return isCancelled;
  }

  /** Cancels requests of an app or a key that have not ended. @returns their number */
  async cancelAll(of: Partial<AppKey> & { keyId?: string }): Promise<number> {
    const cancelled = await Promise.all(this.store.open(of).map((request) => this.cancel(request)));
    return cancelled.filter(Boolean).length;
  }

  /** Cancels all requests of an app, and deletes its results. */
  async forget(app: AppKey): Promise<void> {
    await this.cancelAll(app);
    this.store.forget(app);
  }

  /** Calls back after each change. @returns unsubscribes */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get #limits(): QueueLimits {
    return this.#options.limits;
  }

  #refuseFull(app: AppKey, bytes: number): Refusal | undefined {
    const { openRequests, totalBytes } = this.#limits;
    if (this.store.openCount(app) >= openRequests) {
      const detail = `The queue of ${appName(app)} has ${openRequests} requests, its maximum. Try again later.`;
      return { type: "queue_full", detail, retryAfterSeconds: 5 };
    }
    if (this.store.totalBytes + bytes <= totalBytes) return undefined;
    const detail = `The queue holds ${formatBytes(totalBytes)} of requests and results, its maximum. Try again later.`;
    return { type: "overloaded", detail, retryAfterSeconds: 60 };
  }

  #noteChange(app: AppKey): void {
    this.#open = undefined;
    this.#options.onDemand(app);
    for (const listener of this.#listeners) listener();
    this.wake();
  }

  #work(): void {
    this.#isWoken = false;
    if (this.#isClosed) return;
    let waitMs = longestWaitMs;
    try {
      this.#open = undefined;
      this.#dispatcher.dispatch();
      this.#webhooks.send();
      this.store.prune();
      const next = this.store.nextTime();
      if (next !== undefined) waitMs = Math.min(waitMs, next - this.#clock.wallMs());
    } catch (error) {
      // A full disk, for example.
      this.#options.log(`the queue cannot work: ${describeError(error)}`);
      waitMs = 1000;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.max(shortestWaitMs, waitMs));
  }
}

const mismatch: Refusal = {
  type: "idempotency_mismatch",
  detail: "Idempotency-Key was used for another request. Use a new key for each request.",
};

const unexpected: Refusal = { type: "unexpected", detail: "The request was not stored." };
