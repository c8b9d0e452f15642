// One replica: its process, log and phase, from its record to its exit.
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import { type ProcessFacts, readProcess } from "../../process-stat.ts";
import { onLoopback } from "../../replica-address.ts";
import type { ReplicaExit, ReplicaObservation, ReplicaPhase } from "../engine.ts";
import { type ExitCause, explainExit } from "../exit-reason.ts";
import { type HealthSettings, watchHealth } from "../health-watch.ts";
import type { LogStore } from "../logs/log-store.ts";
import { ReplicaLog } from "../logs/replica-log.ts";
import type { HealthCheck } from "../ready-probe.ts";
import { describePhases, StartPhases } from "../start-phases.ts";
import { progressOf, progressOfMarker, type StartProgress } from "../start-progress.ts";
import { bringUp } from "./bring-up.ts";
import { countMemoryKills } from "./memory-pressure.ts";
import { type EndOptions, endGroup, killGroup } from "./process-group.ts";
import {
  findLeader,
  isLeaderAlive,
  isStillThere,
  type ProcessIdentity,
  readBootId,
} from "./process-table.ts";
import type { ReplicaRecord, ReplicaRecords } from "./replica-record.ts";

export interface ReplicaContext {
  clock: Clock;
  records: ReplicaRecords;
  logStore: LogStore;
  health: HealthSettings;
  /** Returns true while the gateway has requests at the replica. */
  isBusy: (replica: string) => boolean;
  /** Called when `observe` has changed. */
  onChange: () => void;
  /** Logs the engine's own problems. */
  log: (text: string) => void;
}

/** Polling interval for a process that is not our child. */
const lookPauseMs = 300;
/** Grace period of a replica that failed to start, which needs no drain. */
const shortGraceMs = 2_000;

export class Replica {
  readonly #context: ReplicaContext;
  readonly #log: ReplicaLog;
  readonly #memoryKills = countMemoryKills();
  /** Aborted when the replica has exited, or the control plane stops. */
  readonly #ended = new AbortController();
  readonly #exited = Promise.withResolvers<void>();
  #record: ReplicaRecord;
  readonly #startPhases: StartPhases;
  #phase: ReplicaPhase = "preparing";
  #progress: string | undefined;
  #exit: ReplicaExit | undefined;
  #lastProblem: string | undefined;
  #cause: ExitCause | undefined;
  #isEnding = false;

  /** @param record already written, so that the process can always be found */
  constructor(context: ReplicaContext, record: ReplicaRecord) {
    this.#context = context;
    this.#record = record;
    this.#startPhases = new StartPhases(record.startedAt);
    const { organisation, app, revision, replica } = record;
    const of = { organisation, app, revision, replica };
    const file = context.logStore.fileOf(of);
    for (const raw of Object.values(this.raw)) closeSync(openSync(raw, "a", 0o600));
    this.#log = new ReplicaLog({
      file,
      of,
      raw: this.raw,
      clock: context.clock,
      onText: (text) => this.#noteProgress(progressOf(text)),
      onMarker: (marker) => this.#noteProgress(progressOfMarker(marker), marker.at),
      onGrowth: () => context.logStore.noteGrowth(file),
      onFailure: (error) => this.#logOnce(`cannot write its log: ${describeError(error)}`),
    });
  }

  get record(): Readonly<ReplicaRecord> {
    return this.#record;
  }

  get raw(): { stdout: string; stderr: string } {
    const { records } = this.#context;
    const { replica } = this.#record;
    return {
      stdout: records.fileOf(replica, ".stdout"),
      stderr: records.fileOf(replica, ".stderr"),
    };
  }

  get hasExited(): boolean {
    return this.#phase === "exited";
  }

  observe(): ReplicaObservation {
    const { replica, revision, startedAt, ready, process, gpus, warnings } = this.#record;
    return {
      replica,
      revision,
      phase: this.#phase,
      endpoint: ready && `http://127.0.0.1:${ready.port}`,
      processId: process?.id,
      progress: this.#progress,
      startedAt,
      readyAt: ready?.at,
      startPhasesMs: ready?.phasesMs,
      exit: this.#exit,
      warnings: [...warnings],
      gpus: [...gpus],
    };
  }

  /**
   * Starts the process; its exit reports errors.
   *
   * @param prepare builds the environment and returns the function that spawns
   */
  async launch(prepare: () => Promise<() => ChildProcess>): Promise<void> {
    let child: ChildProcess;
    try {
      const spawn = await prepare();
      if (this.#cause !== undefined) return await this.#end(undefined, undefined); // stopped
      child = spawn();
    } catch (error) {
      this.#cause ??= { reason: "spawn_failed", sentence: describeError(error) };
      return await this.#end(undefined, undefined);
    }
    child.once("error", ({ message }) => {
      this.#cause ??= { reason: "spawn_failed", sentence: `It failed to start: ${message}.` };
      if (child.pid === undefined) void this.#end(undefined, undefined);
    });
    child.once("exit", (code, signal) => void this.#end(code ?? undefined, signal ?? undefined));
    const { pid } = child;
    if (pid === undefined) return; // "error" follows
    // An exited child is still in the process table, as it is reaped in a later turn.
    const startTime = readProcess(pid)?.startTime ?? 0;
    this.#record.startedAt = this.#context.clock.wallMs();
    this.#startPhases.enter("launch", this.#record.startedAt);
    this.#noteProcess({ id: pid, group: pid, startTime });
    this.#log.event(`started as process ${pid} on port ${this.#record.port}`);
    this.#enter("setup");
    void this.#watch();
  }

  /** Adopts a replica of an earlier control plane. */
  async adopt(): Promise<void> {
    // A process spawned just before its parent died is in no record.
    const leader =
      this.#record.process === undefined ? await findLeader(this.#record.nonce) : undefined;
    if (leader !== undefined) this.#noteProcess(leader);
    // Start phases that an earlier control plane saw are unknown.
    this.#startPhases.enter("setup", this.#record.startedAt);
    const identity = this.#identity;
    if (identity === undefined || !isLeaderAlive(identity)) {
      const sentence =
        identity === undefined
          ? "The control plane exited before starting it."
          : "It exited while no control plane was running, or the machine restarted.";
      this.#cause = { reason: "lost", sentence };
      return await this.#end(undefined, undefined);
    }
    this.#log.event(`adopted as process ${identity.processId}`);
    this.#enter(this.#record.ready === undefined ? "setup" : "ready");
    void this.#watchLife(identity);
    void this.#watch();
  }

  /** Resolves when no process of the replica is left. */
  async stop(how: EndOptions): Promise<void> {
    if (this.hasExited) return;
    this.#cause ??= { reason: "stopped", sentence: "It was stopped on request." };
    this.#log.event(how.signal === "kill" ? "killing on request" : "stopping on request");
    const identity = this.#identity;
    if (identity !== undefined) await endGroup(identity, how);
    await this.#exited.promise;
  }

  /** Logs new output. */
  collect(): void {
    this.#log.collect();
  }

  /** Stops watching; the process keeps running. */
  close(): void {
    this.#ended.abort();
    this.collect();
    this.#log.close();
  }

  get #identity(): ProcessIdentity | undefined {
    const { process, nonce } = this.#record;
    if (process === undefined) return undefined;
    const { id, startTime, bootId } = process;
    return { processId: id, startTime, bootId, nonce };
  }

  /** Polls a process that is not our child, whose exit the system does not report. */
  async #watchLife(identity: ProcessIdentity): Promise<void> {
    while (!this.#ended.signal.aborted && isStillThere(identity)) {
      await wait(lookPauseMs, undefined, { signal: this.#ended.signal }).catch(() => {});
    }
    if (!this.#ended.signal.aborted) await this.#end(undefined, undefined);
  }

  async #watch(): Promise<void> {
    try {
      const ready = this.#record.ready ?? (await this.#bringUp());
      if (ready !== undefined) await this.#watchHealth(ready);
    } catch (error) {
      this.#logOnce(`it is no longer watched: ${describeError(error)}`);
    }
  }

  async #bringUp(): Promise<ReplicaRecord["ready"]> {
    const { port, exposedPort, startedAt, startupTimeoutMs } = this.#record;
    const identity = this.#identity;
    if (identity === undefined) return undefined;
    const deadline = startedAt + startupTimeoutMs;
    const { clock } = this.#context;
    const { signal } = this.#ended;
    const check = checkOf(this.#record);
    const options = { identity, port, exposedPort, check, deadline, startupTimeoutMs };
    const report = (sentence: string) => this.#log.event(sentence);
    const result = await bringUp({ ...options, clock, signal, report });
    if (signal.aborted || result.kind === "given_up" || this.#cause !== undefined) return undefined;
    if (result.kind === "failed") {
      this.#cause = result.cause;
      this.#log.event(result.cause.sentence);
      await endGroup(identity, { signal: "terminate", graceMs: shortGraceMs });
      return undefined;
    }
    const at = clock.wallMs();
    // Output before readiness belongs to the start.
    this.#log.collect();
    const phasesMs = this.#startPhases.end(at);
    const ready = { at, port: result.port, speaksHttp: result.speaksHttp, phasesMs };
    this.#update({ ready, warnings: result.warnings });
    const phases = describePhases(phasesMs);
    const detail = phases === "" ? "" : ` (${phases})`;
    this.#log.event(`ready after ${((at - startedAt) / 1000).toFixed(1)} s${detail}`);
    for (const warning of result.warnings) this.#log.event(`warning: ${warning}`);
    this.#progress = undefined;
    this.#enter("ready");
    return ready;
  }

  async #watchHealth({ port, speaksHttp }: NonNullable<ReplicaRecord["ready"]>): Promise<void> {
    const { health, isBusy } = this.#context;
    const { replica } = this.#record;
    await watchHealth({
      address: onLoopback(port),
      check: checkOf(this.#record),
      speaksHttp,
      settings: health,
      isBusy: () => isBusy(replica),
      onChange: (isHealthy) => {
        this.#log.event(isHealthy ? "healthy again" : "unhealthy: health checks fail");
        this.#enter(isHealthy ? "ready" : "unhealthy");
      },
      signal: this.#ended.signal,
    });
  }

  /** Kills processes that the exited leader left behind, then reports the exit. */
  async #end(code: number | undefined, signal: string | undefined): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#ended.abort();
    const identity = this.#identity;
    if (identity !== undefined) {
      await killGroup(identity, (sentence) => {
        this.#progress = sentence;
        this.#context.onChange();
        this.#log.event(sentence);
      });
    }
    await this.#log.collectRest();
    this.#exit = explainExit({
      code,
      signal,
      cause: this.#cause,
      ending: this.#log.ending,
      memoryRanOut: countMemoryKills() > this.#memoryKills,
      tail: this.#log.tail,
    });
    this.#log.event(`exited (${this.#exit.reason}): ${this.#exit.sentence}`);
    this.#log.close();
    this.#enter("exited");
    this.#exited.resolve();
  }

  #noteProgress(progress: StartProgress | undefined, at = this.#context.clock.wallMs()): void {
    if (progress === undefined || progress.text === this.#progress) return;
    if (this.#phase === "ready" || this.#phase === "unhealthy") return;
    this.#startPhases.enter(progress.phase, at);
    this.#progress = progress.text;
    this.#context.onChange();
  }

  #enter(phase: ReplicaPhase): void {
    if (this.#phase === phase || this.#phase === "exited") return;
    this.#phase = phase;
    this.#context.onChange();
  }

  #noteProcess({ id, group, startTime }: Pick<ProcessFacts, "id" | "group" | "startTime">): void {
    this.#update({ process: { id, group, startTime, bootId: readBootId() } });
  }

  /** Without its record, a later control plane finds the process by its nonce. */
  #update(change: Partial<ReplicaRecord>): void {
    const { records } = this.#context;
    this.#record = { ...this.#record, ...change };
    try {
      records.write(this.#record);
    } catch (error) {
      this.#logOnce(`cannot write its record: ${describeError(error)}`);
    }
  }

  /** Logs a problem once, as a full disk fails several times a second. */
  #logOnce(text: string): void {
    if (text === this.#lastProblem) return;
    this.#lastProblem = text;
    this.#context.log(`replica ${this.#record.replica}: ${text}`);
  }
}

function checkOf({ healthPath, healthStatus }: ReplicaRecord): HealthCheck {
  return { path: healthPath, status: healthStatus };
}
