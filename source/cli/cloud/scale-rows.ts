// An app's scaling, under the names of the flags that change it.
import { formatGoDuration } from "../../base/time-format.ts";
import type { ScaleSettings } from "../../cloud/app-config.ts";

const labels: Readonly<Record<keyof ScaleSettings, string>> = {
  minConcurrency: "min-concurrency",
  maxConcurrency: "max-concurrency",
  concurrencyBuffer: "concurrency-buffer",
  concurrencyBufferPerc: "concurrency-buffer-perc",
  maxMultiplexing: "max-multiplexing",
  targetUtilization: "target-utilization",
  scalingDelayMs: "scaling-delay",
  keepAliveMs: "keep-alive",
  maxStarting: "max-starting",
};

/** @param overrides what `apps scale` has set */
export function scaleRows(
  scale: ScaleSettings,
  overrides: readonly (keyof ScaleSettings)[],
): (readonly [string, string])[] {
  const names = Object.keys(labels) as (keyof ScaleSettings)[];
  return names.map((name) => {
    const value = scale[name];
    const text = name.endsWith("Ms") && value > 0 ? formatGoDuration(value) : String(value);
    return [labels[name], overrides.includes(name) ? `${text} (set by apps scale)` : text] as const;
  });
}
