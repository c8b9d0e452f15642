// Lag of the event loop, as metrics for Prometheus.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Gauge, type Registry } from "prom-client";

/** Finer sampling would keep a core awake. */
const resolutionMs = 100;

/** Named as in prom-client's own collector, for existing dashboards. */
const figures = {
  lag_seconds: "Current lag of the event loop.",
  lag_min_seconds: "Minimum lag since the last scrape.",
  lag_max_seconds: "Maximum lag since the last scrape.",
  lag_mean_seconds: "Mean lag since the last scrape.",
  lag_stddev_seconds: "Standard deviation of the lag since the last scrape.",
  lag_p50_seconds: "Median lag since the last scrape.",
  lag_p90_seconds: "90th percentile of the lag since the last scrape.",
  lag_p99_seconds: "99th percentile of the lag since the last scrape.",
} as const;

type Figure = keyof typeof figures;

const nameOf = (figure: string) => `modelctl_nodejs_eventloop_${figure}`;

/**
 * Replaces prom-client's collector, which reports `Nan` and 292 years for samples in quick succession,
 * and counts its own interval as lag.
 */
export class EventLoopLag {
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #gauges = new Map<Figure, Gauge>();

  constructor(registry: Registry) {
    for (const [figure, help] of Object.entries(figures) as Array<[Figure, string]>) {
      registry.removeSingleMetric(nameOf(figure));
      this.#gauges.set(figure, new Gauge({ name: nameOf(figure), help, registers: [registry] }));
    }
    this.#histogram.enable();
  }

  /** Updates the metrics. Takes a turn of the event loop, which is the sample if there is none yet. */
  async update(): Promise<void> {
    const began = performance.now();
    await nextTurn();
    const seconds = (performance.now() - began) / 1000;
    const { count, min, max, mean, stddev } = this.#histogram;
    // The recorded value is the time between two samples; anything beyond the interval is lag.
    const lagOf = (nanoseconds: number) =>
      count === 0 ? seconds : Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
    const values: Record<Figure, number> = {
      lag_seconds: seconds,
      lag_min_seconds: lagOf(min),
      lag_max_seconds: lagOf(max),
      lag_mean_seconds: lagOf(mean),
      lag_stddev_seconds: count === 0 ? 0 : stddev / 1e9,
      lag_p50_seconds: lagOf(this.#histogram.percentile(50)),
      lag_p90_seconds: lagOf(this.#histogram.percentile(90)),
      lag_p99_seconds: lagOf(this.#histogram.percentile(99)),
    };
    for (const [figure, gauge] of this.#gauges) gauge.set(values[figure]);
    this.#histogram.reset();
  }
}
