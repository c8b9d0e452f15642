// App settings that have a field: how to read, check and write each, its flag; and presets.

import { parseTimeSpan } from "../../../base/duration.ts";
import type { AppConfig } from "../../../cloud/app-config.ts";
import type { ConfigAnswers } from "../../app/cloud-access.ts";

export interface Setting {
  readonly id: string;
  readonly label: string;
  readonly step: "resources" | "scaling" | "timeouts";
  readonly flag: string;
  /** Short description. */
  readonly note: string;
  /** Formats its value in a configuration as a user would type it. */
  write(config: AppConfig): string;
  /** @returns why a text is invalid */
  fault(text: string): string | undefined;
  /** @param text a valid text */
  answer(text: string): ConfigAnswers;
}

type ScaleCount = "minConcurrency" | "maxConcurrency" | "concurrencyBuffer" | "maxMultiplexing";

export const settings: readonly Setting[] = [
  {
    id: "machineType",
    label: "Machine type",
    step: "resources",
    flag: "--machine-type",
    note: "such as GPU-H100, or any",
    write: ({ hardware }) => hardware.machineType ?? "any",
    fault: (text) => (/^[\w. -]+$/.test(text) ? undefined : "Use a name such as GPU-H100, or any."),
    answer: (text) => ({ machineType: text }),
  },
  {
    id: "gpuCount",
    label: "GPUs",
    step: "resources",
    flag: "--gpus",
    note: "per replica",
    write: ({ hardware }) => String(hardware.gpuCount),
    fault: (text) => countFault(text, 0, 64),
    answer: (text) => ({ gpuCount: Number(text) }),
  },
  scaleCount("minConcurrency", "Min replicas", "--min-concurrency", {
    note: "0: scale to zero when idle",
    most: 1000,
  }),
  scaleCount("maxConcurrency", "Max replicas", "--max-concurrency", { least: 1, most: 1000 }),
  scaleCount("concurrencyBuffer", "Spare replicas", "--concurrency-buffer", { most: 1000 }),
  scaleCount("maxMultiplexing", "Concurrency", "--max-multiplexing", {
    note: "concurrent requests per replica",
    least: 1,
  }),
  {
    id: "keepAliveMs",
    label: "Idle timeout",
    step: "scaling",
    flag: "--keep-alive",
    note: "how long an idle replica is kept",
    write: ({ scale }) => writeTime(scale.keepAliveMs),
    fault: timeFault,
    answer: (text) => ({ scale: { keepAliveMs: parseTimeSpan(text) ?? 0 } }),
  },
  limit("startupTimeoutMs", "Start", "--startup-timeout", "until a replica is ready"),
  limit("requestTimeoutMs", "Request", "--request-timeout", "per request; 0: no limit"),
  limit("drainTimeoutMs", "Drain", "--drain-timeout", "to finish requests before a stop"),
];

function scaleCount(
  id: ScaleCount,
  label: string,
  flag: string,
  { note = "", least = 0, most = 1_000_000 }: { note?: string; least?: number; most?: number },
): Setting {
  return {
    id,
    label,
    step: "scaling",
    flag,
    note,
    write: ({ scale }) => String(scale[id]),
    fault: (text) => countFault(text, least, most),
    answer: (text) => ({ scale: { [id]: Number(text) } }),
  };
}

function limit(
  id: "startupTimeoutMs" | "requestTimeoutMs" | "drainTimeoutMs",
  label: string,
  flag: string,
  note: string,
): Setting {
  return {
    id,
    label,
    step: "timeouts",
    flag,
    note,
    write: ({ limits }) => writeTime(limits[id]),
    fault: timeFault,
    answer: (text) => ({ limits: { [id]: parseTimeSpan(text) ?? 0 } }),
  };
}

function countFault(text: string, least: number, most: number): string | undefined {
  const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= least && value <= most
    ? undefined
    : `Use a whole number from ${least} to ${most}.`;
}

function timeFault(text: string): string | undefined {
  return parseTimeSpan(text) === undefined
    ? "Use 90s, 15m, 1h30m, or a number of seconds."
    : undefined;
}

/** Formats a time for a flag: `60s`, `250ms`. */
export function writeTime(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}

/** Presets for scaling: the texts of the fields that they fill. */
export const presets = [
  {
    id: "cheapest",
    title: "Cheapest",
    note: "0 to 1 replica, kept 60 s idle",
    texts: { minConcurrency: "0", maxConcurrency: "1", concurrencyBuffer: "0", keepAliveMs: "60s" },
  },
  {
    id: "responsive",
    title: "Responsive",
    note: "1 to 4 replicas, one always on",
    texts: { minConcurrency: "1", maxConcurrency: "4", concurrencyBuffer: "0", keepAliveMs: "60s" },
  },
  {
    id: "bursty",
    title: "Bursty",
    note: "0 to 8 replicas, one spare",
    texts: { minConcurrency: "0", maxConcurrency: "8", concurrencyBuffer: "1", keepAliveMs: "60s" },
  },
] as const;
