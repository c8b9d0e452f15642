// State and figures of a download, from the server's records.

import type { PullRecord } from "./model-calls.ts";

/** Bytes downloaded up to a time. */
interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

export interface Download {
  /** As the server lists the model. */
  readonly name: string;
  readonly state: "running" | "verifying" | "paused" | "failed" | "done";
  /** The server's last status; empty while it sends figures. */
  readonly status: string;
  /** Undefined until the server knows. */
  readonly totalBytes: number | undefined;
  readonly completedBytes: number;
  /** The last seconds, for the speed. */
  readonly samples: readonly Sample[];
  /** The reason of a failure. */
  readonly error: string | undefined;
}

/** The speed is measured over this time. */
const speedWindowMs = 10_000;
/** Closer samples are not kept. */
const sampleIntervalMs = 250;

export function startDownload(name: string): Download {
  return {
    name,
    state: "running",
    status: "pulling manifest",
    totalBytes: undefined,
    completedBytes: 0,
    samples: [],
    error: undefined,
  };
}

/** Updates the download with a record. */
export function addProgress(download: Download, record: PullRecord, nowMs: number): Download {
  if (record.status === "success") return { ...download, state: "done", status: "", samples: [] };
  const state = record.status.startsWith("verifying") ? "verifying" : "running";
  const { total, completed } = record;
  const { overall_total: overallTotal = total, overall_completed: overallCompleted = completed } =
    record;
  if (overallCompleted === undefined) return { ...download, state, status: record.status };
  return {
    ...download,
    state,
    status: "",
    totalBytes: overallTotal ?? download.totalBytes,
    completedBytes: overallCompleted,
    samples: withSample(download.samples, { atMs: nowMs, bytes: overallCompleted }),
  };
}

export function pauseDownload(download: Download): Download {
  return { ...download, state: "paused", status: "", samples: [] };
}

/** Resumes the download; its figures stay until new ones arrive. */
export function resumeDownload(download: Download): Download {
  return { ...download, state: "running", status: "resuming", samples: [], error: undefined };
}

export function failDownload(download: Download, error: string): Download {
  return { ...download, state: "failed", status: "", samples: [], error };
}

export function isActive({ state }: Download): boolean {
  return state === "running" || state === "verifying";
}

/** 0 to 1; undefined while the size is unknown. */
export function fractionOf({ totalBytes, completedBytes }: Download): number | undefined {
  if (totalBytes === undefined || totalBytes === 0) return undefined;
  return Math.min(1, completedBytes / totalBytes);
}

/** Bytes a second over the last seconds; undefined with too few samples. */
export function speedOf({ samples }: Download, nowMs: number): number | undefined {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return undefined;
  // A stalled download becomes slower with every second.
  const passedMs = Math.max(last.atMs, nowMs) - first.atMs;
  if (passedMs < sampleIntervalMs) return undefined;
  return ((last.bytes - first.bytes) / passedMs) * 1000;
}

/** Undefined while the size or the speed is unknown. */
export function remainingMs(download: Download, nowMs: number): number | undefined {
  const speed = speedOf(download, nowMs);
  const { totalBytes, completedBytes } = download;
  if (speed === undefined || speed <= 0 || totalBytes === undefined) return undefined;
  return ((totalBytes - completedBytes) / speed) * 1000;
}

function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const before = samples.at(-2);
  // Replaces the newest sample until it is far enough from the one before.
  const isClose = before !== undefined && sample.atMs - before.atMs < sampleIntervalMs;
  const kept = [...(isClose ? samples.slice(0, -1) : samples), sample];
  const firstKept = kept.findIndex(({ atMs }) => sample.atMs - atMs <= speedWindowMs);
  return kept.slice(Math.max(0, firstKept));
}
