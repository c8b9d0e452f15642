// Health checks of a ready replica, which report when too many have failed.
import { setTimeout as wait } from "node:timers/promises";
import type { ReplicaAddress } from "../replica-address.ts";
import { type HealthCheck, healthOf } from "./ready-probe.ts";

export interface HealthSettings {
  intervalMs: number;
  timeoutMs: number;
  /** Failures in a row. */
  failureLimit: number;
  /**
   * Unanswered checks in a row while the replica has requests, as a single-threaded server answers
   * nothing else meanwhile.
   */
  busySilenceLimit: number;
}

export const defaultHealth: HealthSettings = {
  intervalMs: 15_000,
  timeoutMs: 5_000,
  failureLimit: 3,
  busySilenceLimit: 20,
};

export interface HealthWatchOptions {
  address: ReplicaAddress;
  check: HealthCheck;
  speaksHttp: boolean;
  settings: HealthSettings;
  /** Returns true while the replica has requests. */
  isBusy: () => boolean;
  /** Called at each change; a replica starts out healthy. */
  onChange: (isHealthy: boolean) => void;
  signal: AbortSignal;
}

/** Runs until the signal aborts. */
export async function watchHealth(options: HealthWatchOptions): Promise<void> {
  const { address, check, speaksHttp, settings, signal } = options;
  let failures = 0;
  let silences = 0;
  let isHealthy = true;
  const change = (to: boolean) => {
    if (to !== isHealthy) options.onChange(to);
    isHealthy = to;
  };
  while (true) {
    // An abort ends the wait.
    await wait(settings.intervalMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const health = await healthOf(address, check, speaksHttp, settings.timeoutMs);
    if (signal.aborted) return;
    if (health === "healthy") {
      failures = 0;
      silences = 0;
      change(true);
      continue;
    }
    silences = health === "silent" ? silences + 1 : 0;
    if (health === "failing" || !options.isBusy()) failures += 1;
    if (failures >= settings.failureLimit || silences >= settings.busySilenceLimit) change(false);
  }
}
