// Usage and cost of apps: requests from the gateway, time from the replicas.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describeError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import type { ReplicaDocument, ReplicaState, UsageDocument } from "../../cloud/admin/documents.ts";
import type { UsageReports } from "../../cloud/admin/services.ts";
import type { ControlPlane } from "../../cloud/control-plane/control-plane.ts";
import type { ExchangeRecord } from "../../cloud/gateway/exchange-record.ts";
import { AccessLog } from "../../cloud/metrics/access-log.ts";
import { type AppGauges, CloudMetrics } from "../../cloud/metrics/cloud-metrics.ts";
import {
  answerCounts,
  costOf,
  type Prices,
  type ReplicaTime,
  type UsageFigures,
} from "../../cloud/metrics/usage-figures.ts";
import { UsageStore } from "../../cloud/metrics/usage-store.ts";
import type { CloudStore } from "../../cloud/state/cloud-store.ts";

const sampleMs = 1000;

const timeOfState: Partial<Record<ReplicaState, ReplicaTime>> = {
  PREPARING: "starting",
  SETUP: "starting",
  IDLE: "idle",
  RUNNING: "busy",
  // It holds its GPUs, if not their memory.
  ASLEEP: "idle",
  WAKING: "starting",
  UNHEALTHY: "draining",
  DRAINING: "draining",
  TERMINATING: "draining",
};

export interface CloudUsageOptions {
  stateFolder: string;
  store: CloudStore;
  /** Returns undefined before it has started. */
  controlPlane: () => Pick<ControlPlane, "documents"> | undefined;
  log: (text: string) => void;
}

export class CloudUsage implements UsageReports {
  readonly #options: CloudUsageOptions;
  readonly #usage: UsageStore;
  readonly #metrics: CloudMetrics;
  readonly #accessLog: AccessLog;
  #sampledAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #stopFollowing: () => void = () => {};

  constructor(options: CloudUsageOptions) {
    const { stateFolder, store, log } = options;
    this.#options = options;
    this.#usage = new UsageStore(store.database, {
      log,
      findApp: (app) => store.apps.find(app),
    });
    this.#metrics = new CloudMetrics(() => this.#gauges());
    this.#accessLog = new AccessLog({ file: path.join(stateFolder, "logs", "access.log"), log });
  }

  /** Records a request that has ended. */
  observe(record: ExchangeRecord): void {
    this.#usage.addRequest(record);
    this.#metrics.observe(record);
    this.#accessLog.write(record);
  }

  start(): void {
    this.#sampledAt = performance.now();
    this.#timer = setInterval(() => this.#sample(), sampleMs);
    this.#stopFollowing = this.#options.store.events.follow(({ kind, replica }) => {
      const isStart = kind === "ready" || kind === "woke";
      if (isStart && replica !== undefined) this.#noteStart(replica);
    });
  }

  usage(query: { organisation?: string; app?: string; sinceMs: number }): UsageDocument[] {
    const { sinceMs, ...wanted } = query;
    const prices = this.#prices();
    return this.#usage
      .read(sinceMs, wanted)
      .map(({ figures, ...of }) => ({ ...of, ...documentOf(figures, prices) }));
  }

  async metrics(): Promise<string> {
    return await this.#metrics.scrape();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopFollowing();
    this.#usage.close();
    await this.#accessLog.flush();
  }

  #gauges(): AppGauges[] {
    const apps = this.#options.controlPlane()?.documents.apps() ?? [];
    const replicas = this.#replicas();
    return apps.map(({ organisation, app, inFlight, queued }) => {
      const own = replicas.filter((each) => each.organisation === organisation && each.app === app);
      const counts = Object.entries(Object.groupBy(own, ({ state }) => state));
      return {
        organisation,
        app,
        demand: { busy: inFlight, queued, oldestQueuedMs: 0 },
        replicas: Object.fromEntries(counts.map(([state, list]) => [state, list.length])),
      };
    });
  }

  #replicas(): ReplicaDocument[] {
    return this.#options.controlPlane()?.documents.livingReplicas() ?? [];
  }

  #sample(): void {
    const now = performance.now();
    const ms = now - this.#sampledAt;
    this.#sampledAt = now;
    for (const replica of this.#replicas()) this.#spend(replica, ms);
  }

  #spend({ organisation, app, state, gpus }: ReplicaDocument, ms: number): void {
    const kind = timeOfState[state];
    if (kind === undefined) return;
    this.#usage.addReplicaTime(organisation, app, { kind, ms, gpus });
    this.#metrics.addReplicaTime(organisation, app, { kind, ms, gpus });
  }

  #noteStart(replica: string): void {
    const found = this.#replicas().find((each) => each.replica === replica);
    if (found?.coldStartMs === undefined) return;
    const { organisation, app, coldStartMs: total, coldStartPhasesMs } = found;
    this.#metrics.noteColdStart({ organisation, app, phasesMs: { ...coldStartPhasesMs, total } });
  }

  /** Read for each report, so that changes apply at once. */
  #prices(): Prices | undefined {
    const file = path.join(this.#options.stateFolder, "prices.json");
    try {
      const value: unknown = JSON.parse(readFileSync(file, "utf8"));
      if (value === null || typeof value !== "object") throw new Error("it is not an object");
      const pairs = Object.entries(value).filter(([, price]) => typeof price === "number");
      return Object.fromEntries(pairs);
    } catch (error) {
      if (systemCode(error) !== "ENOENT")
        this.#options.log(`ignoring ${file}: ${describeError(error)}`);
      return undefined;
    }
  }
}

function documentOf(figures: UsageFigures, prices: Prices | undefined) {
  const seconds = (kind: ReplicaTime) =>
    Object.values(figures.gpuMs).reduce((sum, spent) => sum + spent[kind], 0) / 1000;
  const revisions = Object.entries(figures.revisions).map(([revision, answers]) => ({
    revision,
    ...answerCounts(answers),
  }));
  return {
    ...answerCounts(figures),
    revisions: revisions.sort((one, other) => (one.revision < other.revision ? 1 : -1)),
    queued: figures.queued,
    inputTokens: figures.promptTokens,
    cachedTokens: figures.cachedTokens,
    outputTokens: figures.completionTokens,
    gpuSeconds: { busy: seconds("busy"), idle: seconds("idle"), starting: seconds("starting") },
    cost: prices === undefined ? undefined : costOf(figures, prices),
  };
}
