// Prometheus metrics of the gateway and the control plane.
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ReplicaState } from "../admin/documents.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type { Demand } from "../gateway/traffic.ts";
import type { ReplicaTime } from "./usage-figures.ts";

/** State of an app at a scrape. */
export interface AppGauges {
  organisation: string;
  app: string;
  demand: Demand;
  replicas: Partial<Record<ReplicaState, number>>;
}

/** Duration of a cold start by phase. */
export interface ColdStart {
  organisation: string;
  app: string;
  /** Milliseconds by phase, such as `import` and `load`, and `total`. */
  phasesMs: Readonly<Record<string, number>>;
}

const appLabels = ["org", "app"];
const waitBuckets = [0.001, 0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 900];
const replyBuckets = [0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
const startBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 900];

export class CloudMetrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter("requests_total", "Completed requests.", [
    ...appLabels,
    "status",
    "error_type",
  ]);
  readonly #queueSeconds = this.#histogram(
    "queue_seconds",
    "Time that requests wait for a replica.",
    waitBuckets,
  );
  readonly #firstByteSeconds = this.#histogram(
    "ttfb_seconds",
    "Time to first byte of the response.",
    replyBuckets,
  );
  readonly #durationSeconds = this.#histogram(
    "duration_seconds",
    "Total time of requests.",
    replyBuckets,
  );
  readonly #tokens = this.#counter("tokens_total", "Tokens reported in responses.", [
    ...appLabels,
    "kind",
  ]);
  readonly #coldStarts = this.#counter("cold_starts_total", "Replicas started.", appLabels);
  readonly #coldStartSeconds = this.#histogram(
    "cold_start_seconds",
    "Duration of cold starts by phase, with their sum as total.",
    startBuckets,
    [...appLabels, "phase"],
  );
  readonly #replicaSeconds = this.#counter("replica_seconds_total", "Replica time by state.", [
    ...appLabels,
    "state",
  ]);
  readonly #gpuSeconds = this.#counter("gpu_seconds_total", "GPU time by state.", [
    ...appLabels,
    "state",
  ]);

  /** @param read returns all apps; called at each scrape */
  constructor(read: () => readonly AppGauges[]) {
    const each = (set: (labels: { org: string; app: string }, gauges: AppGauges) => void) => {
      for (const app of read()) set({ org: app.organisation, app: app.app }, app);
    };
    this.#gauge("inflight", "Requests in progress.", appLabels, (gauge) =>
      each((labels, { demand }) => gauge.set(labels, demand.busy)),
    );
    this.#gauge("queued", "Requests waiting for a replica.", appLabels, (gauge) =>
      each((labels, { demand }) => gauge.set(labels, demand.queued)),
    );
    this.#gauge("replicas", "Replicas by state.", [...appLabels, "state"], (gauge) =>
      each((labels, { replicas }) => {
        for (const [state, n] of Object.entries(replicas)) gauge.set({ ...labels, state }, n);
      }),
    );
  }

  /** Returns metrics in Prometheus text format. */
  async scrape(): Promise<string> {
    return await this.#registry.metrics();
  }

  observe(record: ExchangeRecord): void {
    const { organisation: org = "", app = "", revision, status, errorType, tokens } = record;
    this.#requests.inc({ org, app, status, error_type: errorType ?? "" });
    // Requests rejected before routing have no meaningful times.
    if (revision === undefined) return;
    this.#queueSeconds.observe({ org, app }, record.queueMs / 1000);
    this.#durationSeconds.observe({ org, app }, record.totalMs / 1000);
    if (record.firstByteMs !== undefined) {
      this.#firstByteSeconds.observe({ org, app }, record.firstByteMs / 1000);
    }
    if (tokens === undefined) return;
    this.#tokens.inc({ org, app, kind: "prompt" }, tokens.prompt);
    this.#tokens.inc({ org, app, kind: "completion" }, tokens.completion);
    this.#tokens.inc({ org, app, kind: "cached" }, tokens.cached);
  }

  noteColdStart({ organisation: org, app, phasesMs }: ColdStart): void {
    this.#coldStarts.inc({ org, app });
    for (const [phase, ms] of Object.entries(phasesMs)) {
      this.#coldStartSeconds.observe({ org, app, phase }, ms / 1000);
    }
  }

  addReplicaTime(
    org: string,
    app: string,
    { kind, ms, gpus }: { kind: ReplicaTime; ms: number; gpus: readonly string[] },
  ): void {
    this.#replicaSeconds.inc({ org, app, state: kind }, ms / 1000);
    if (gpus.length > 0) {
      this.#gpuSeconds.inc({ org, app, state: kind }, (ms / 1000) * gpus.length);
    }
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({
      name: `deployctl_${name}`,
      help,
      labelNames,
      registers: [this.#registry],
    });
  }

  #histogram(name: string, help: string, buckets: number[], labelNames = appLabels): Histogram {
    return new Histogram({
      name: `deployctl_${name}`,
      help,
      buckets,
      labelNames,
      registers: [this.#registry],
    });
  }

  #gauge(name: string, help: string, labelNames: string[], set: (gauge: Gauge) => void): void {
    new Gauge({
      name: `deployctl_${name}`,
      help,
      labelNames,
      registers: [this.#registry],
      collect(this: Gauge) {
        // Removes apps and states that no longer exist.
        this.reset();
        set(this);
      },
    });
  }
}
