// One replica: its process, log and phase, from its record to its exit.
import type { ChildProcess } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { portHolder } from "../../../base/listening-sockets.ts";
import { describeError } from "../../../base/product-error.ts";
import { type ProcessFacts, readProcess } from "../../process-stat.ts";
import { onLoopback } from "../../replica-address.ts";
import type { ReplicaObservation } from "../engine.ts";
import { checkOf, EngineReplica, type EngineReplicaContext } from "../engine-replica.ts";
import { engineWarnings } from "../engine-warnings.ts";
import { type ExitCause, type ExitFacts, explainExit, takenPort } from "../exit-reason.ts";
import { type AdoptionRecord, type AdoptionRecords, identityOf } from "./adoption-record.ts";
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

export interface ReplicaContext extends EngineReplicaContext {
  records: AdoptionRecords;
}

/** Polling interval for a process that is not our child. */
const lookPauseMs = 300;
/** Grace period of a replica that failed to start, which needs no drain. */
const shortGraceMs = 2_000;

export class Replica extends EngineReplica<ReplicaContext> {
  readonly #memoryKills = countMemoryKills();
  readonly #exited = Promise.withResolvers<void>();
  #record: AdoptionRecord;
  #cause: ExitCause | undefined;
  #isEnding = false;

  /** @param record already written, so that the process can always be found */
  constructor(context: ReplicaContext, record: AdoptionRecord) {
    super(context, record, context.records.rawFilesOf(record.replica));
    this.#record = record;
  }

  get record(): Readonly<AdoptionRecord> {
    return this.#record;
  }

  /** Resolves when no process of the replica is left. */
  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  observe(): ReplicaObservation {
    const { replica, revision, startedAt, ready, process, gpus, warnings } = this.#record;
    return {
      ...{ replica, revision, startedAt, gpus, warnings },
      phase: this.phase,
      endpoint: ready && `http://127.0.0.1:${ready.port}`,
      processId: process?.id,
      progress: this.progress,
      readyAt: ready?.at,
      startPhasesMs: ready?.phasesMs,
      exit: this.exit,
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
    this.#record.startedAt = this.context.clock.wallMs();
    this.startPhases.enter("launch", this.#record.startedAt);
    this.#noteProcess({ id: pid, group: pid, startTime });
    this.log.event(`started as process ${pid} on port ${this.#record.port}`);
    this.enter("setup");
    void this.#watch();
  }

  /** Adopts a replica of an earlier control plane. */
  async adopt(): Promise<void> {
    // A process spawned just before its parent died is in no record.
    const leader =
      this.#record.process === undefined ? await findLeader(this.#record.nonce) : undefined;
    if (leader !== undefined) this.#noteProcess(leader);
    // Start phases that an earlier control plane saw are unknown.
    this.startPhases.enter("setup", this.#record.startedAt);
    const identity = identityOf(this.#record);
    if (identity === undefined || !isLeaderAlive(identity)) {
      const sentence =
        identity === undefined
          ? "The control plane exited before starting it."
          : "It exited while no control plane was running, or the machine restarted.";
      this.#cause = { reason: "lost", sentence };
      return await this.#end(undefined, undefined);
    }
    this.log.event(`adopted as process ${identity.processId}`);
    this.enter(this.#record.ready === undefined ? "setup" : "ready");
    void this.#watchLife(identity);
    void this.#watch();
  }

  /** Resolves when no process of the replica is left. */
  async stop(how: EndOptions): Promise<void> {
    if (this.hasExited) return;
    this.#cause ??= { reason: "stopped", sentence: "It was stopped on request." };
    this.log.event(how.signal === "kill" ? "killing on request" : "stopping on request");
    const identity = identityOf(this.#record);
    if (identity !== undefined) await endGroup(identity, how);
    await this.#exited.promise;
  }

  /** Logs new output. */
  collect(): void {
    this.log.collect();
  }

  /** Polls a process that is not our child, whose exit the system does not report. */
  async #watchLife(identity: ProcessIdentity): Promise<void> {
    while (!this.ended.signal.aborted && isStillThere(identity)) {
      // The end of the replica cuts the wait short.
      await wait(lookPauseMs, undefined, { signal: this.ended.signal }).catch(() => {});
    }
    if (!this.ended.signal.aborted) await this.#end(undefined, undefined);
  }

  async #watch(): Promise<void> {
    try {
      const ready = this.#record.ready ?? (await this.#bringUp());
      if (ready === undefined) return;
      await this.watchHealth(onLoopback(ready.port), checkOf(this.#record), ready.speaksHttp);
    } catch (error) {
      this.report(`it is no longer watched: ${describeError(error)}`);
    }
  }

  async #bringUp(): Promise<AdoptionRecord["ready"]> {
    const { port, exposedPort, startedAt, startupTimeoutMs } = this.#record;
    const identity = identityOf(this.#record);
    if (identity === undefined) return undefined;
    const deadline = startedAt + startupTimeoutMs;
    const { clock } = this.context;
    const { signal } = this.ended;
    const check = checkOf(this.#record);
    const options = { identity, port, exposedPort, check, deadline, startupTimeoutMs };
    const report = (sentence: string) => this.log.event(sentence);
    const result = await bringUp({ ...options, clock, signal, report });
    if (signal.aborted || result.kind === "given_up" || this.#cause !== undefined) return undefined;
    if (result.kind === "failed") {
      this.#cause = result.cause;
      this.log.event(result.cause.sentence);
      await endGroup(identity, { signal: "terminate", graceMs: shortGraceMs });
      return undefined;
    }
    const at = clock.wallMs();
    // Output before readiness belongs to the start.
    this.log.collect();
    const phasesMs = this.endStart(startedAt, at);
    const ready = { at, port: result.port, speaksHttp: result.speaksHttp, phasesMs };
    this.#update({ ready, warnings: result.warnings });
    for (const code of result.warnings) this.log.event(`warning: ${engineWarnings[code]}`);
    this.progress = undefined;
    this.enter("ready");
    return ready;
  }

  /** Kills processes that the exited leader left behind, then reports the exit. */
  async #end(code: number | undefined, signal: string | undefined): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.ended.abort();
    const identity = identityOf(this.#record);
    if (identity !== undefined) {
      await killGroup(identity, (sentence) => {
        this.progress = sentence;
        this.context.onChange();
        this.log.event(sentence);
      });
    }
    await this.log.collectRest();
    const facts: ExitFacts = {
      ...{ code, signal },
      cause: this.#cause,
      ending: this.log.ending,
      memoryRanOut: countMemoryKills() > this.#memoryKills,
      tail: this.log.tail,
    };
    const port = takenPort(facts);
    const holder = port === undefined ? undefined : await portHolder(port);
    this.finish(explainExit({ ...facts, holder }));
    this.#exited.resolve();
  }

  #noteProcess({ id, group, startTime }: Pick<ProcessFacts, "id" | "group" | "startTime">): void {
    this.#update({ process: { id, group, startTime, bootId: readBootId() } });
  }

  /** Without its record, a later control plane finds the process by its nonce. */
  #update(change: Partial<AdoptionRecord>): void {
    const { records } = this.context;
    this.#record = { ...this.#record, ...change };
    try {
      records.write(this.#record);
    } catch (error) {
      this.report(`cannot write its record: ${describeError(error)}`);
    }
  }
}
