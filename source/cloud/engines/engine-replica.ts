// Replica as both engines see it: its log, its phase, its start, its health and its exit.
import { closeSync, openSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { describeError } from "../../base/product-error.ts";
import type { ReplicaAddress } from "../replica-address.ts";
import type { ReplicaExit, ReplicaPhase } from "./engine.ts";
import { type HealthSettings, watchHealth } from "./health-watch.ts";
import type { LogPlace, LogStore } from "./logs/log-store.ts";
import { ReplicaLog } from "./logs/replica-log.ts";
import type { HealthCheck } from "./ready-probe.ts";
import type { ReplicaMarker } from "./replica-marker.ts";
import { describePhases, StartPhases } from "./start-phases.ts";
import { progressOf, progressOfMarker, type StartProgress } from "./start-progress.ts";

export interface EngineReplicaContext {
  clock: Clock;
  logStore: LogStore;
  health: HealthSettings;
  /** Returns true while the gateway has requests at the replica. */
  isBusy: (replica: string) => boolean;
  /** Called when `observe` has changed. */
  onChange: () => void;
  /** Logs the engine's own problems. */
  log: (text: string) => void;
}

export interface ReplicaFacts extends LogPlace {
  healthPath: string;
  healthStatus?: number;
  startupTimeoutMs: number;
  /** Milliseconds since 1970. */
  startedAt: number;
}

export abstract class EngineReplica<Context extends EngineReplicaContext = EngineReplicaContext> {
  protected readonly context: Context;
  protected readonly log: ReplicaLog;
  protected readonly startPhases: StartPhases;
  /** Aborted when the replica has exited, or the control plane stops. */
  protected readonly ended = new AbortController();
  protected phase: ReplicaPhase = "preparing";
  protected progress: string | undefined;
  protected exit: ReplicaExit | undefined;
  readonly #replica: string;
  #lastProblem: string | undefined;

  /** @param raw files that get its output */
  constructor(
    context: Context,
    { organisation, app, revision, replica, startedAt }: ReplicaFacts,
    raw: { stdout: string; stderr: string },
  ) {
    this.context = context;
    this.#replica = replica;
    this.startPhases = new StartPhases(startedAt);
    const of = { organisation, app, revision, replica };
    const file = context.logStore.fileOf(of);
    for (const rawFile of Object.values(raw)) closeSync(openSync(rawFile, "a", 0o600));
    this.log = new ReplicaLog({
      ...{ file, of, raw },
      clock: context.clock,
      onText: (text) => this.#noteProgress(progressOf(text)),
      onMarker: (marker) => this.noteMarker(marker),
      onGrowth: () => context.logStore.noteGrowth(file),
      onFailure: (error) => this.report(`cannot write its log: ${describeError(error)}`),
    });
  }

  get hasExited(): boolean {
    return this.phase === "exited";
  }

  get isStarting(): boolean {
    return this.phase === "preparing" || this.phase === "setup";
  }

  /** Stops watching; the replica keeps running. */
  close(): void {
    this.ended.abort();
    this.log.collect();
    this.log.close();
  }

  protected noteMarker(marker: ReplicaMarker): void {
    this.#noteProgress(progressOfMarker(marker), marker.at);
  }

  protected enter(phase: ReplicaPhase): void {
    if (this.phase === phase || this.hasExited) return;
    this.phase = phase;
    this.context.onChange();
  }

  /** Logs the duration of the start. @returns its phases */
  protected endStart(startedAt: number, at: number): Record<string, number> {
    const phasesMs = this.startPhases.end(at);
    const phases = describePhases(phasesMs);
    const detail = phases === "" ? "" : ` (${phases})`;
    this.log.event(`ready after ${((at - startedAt) / 1000).toFixed(1)} s${detail}`);
    return phasesMs;
  }

  protected async watchHealth(
    address: ReplicaAddress,
    check: HealthCheck,
    speaksHttp: boolean,
  ): Promise<void> {
    const { health, isBusy } = this.context;
    await watchHealth({
      ...{ address, check, speaksHttp },
      settings: health,
      isBusy: () => isBusy(this.#replica),
      onChange: (isHealthy) => {
        this.log.event(isHealthy ? "healthy again" : "unhealthy: health checks fail");
        this.enter(isHealthy ? "ready" : "unhealthy");
      },
      signal: this.ended.signal,
    });
  }

  protected finish(exit: ReplicaExit): void {
    this.ended.abort();
    this.exit = exit;
    this.log.event(`exited (${exit.reason}): ${exit.sentence}`);
    this.log.close();
    this.enter("exited");
  }

  /** Reports a problem once, as a full disk fails several times a second. */
  protected report(text: string): void {
    if (text === this.#lastProblem) return;
    this.#lastProblem = text;
    this.context.log(`replica ${this.#replica}: ${text}`);
  }

  #noteProgress(progress: StartProgress | undefined, at = this.context.clock.wallMs()): void {
    if (progress === undefined || progress.text === this.progress || !this.isStarting) return;
    this.startPhases.enter(progress.phase, at);
    this.progress = progress.text;
    this.context.onChange();
  }
}

export function checkOf({ healthPath, healthStatus }: ReplicaFacts): HealthCheck {
  return { path: healthPath, status: healthStatus };
}
