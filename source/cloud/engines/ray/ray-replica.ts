// Replica on a Ray cluster: its log, its phase and its exit, from what Serve says about it.
import { closeSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import { readEndpoint } from "../../replica-address.ts";
import type { ReplicaExit, ReplicaObservation, ReplicaPhase } from "../engine.ts";
import { type HealthSettings, watchHealth } from "../health-watch.ts";
import type { LogStore } from "../logs/log-store.ts";
import { ReplicaLog } from "../logs/replica-log.ts";
import type { RunnerMarker } from "../runner-marker.ts";
import { describePhases, StartPhases } from "../start-phases.ts";
import { progressOf, progressOfMarker, type StartProgress } from "../start-progress.ts";
import { type ExitReport, exitOf, lastLine, readReport, reportOf } from "./actor-exit.ts";
import type { RayResources } from "./node-resources.ts";
import type { RayClient } from "./ray-client.ts";
import { RemoteOutput } from "./remote-output.ts";
import type { ApplicationState, ReplicaLabels } from "./serve-application.ts";

export interface RayReplicaContext {
  client: RayClient;
  clock: Clock;
  logStore: LogStore;
  health: HealthSettings;
  isBusy: (replica: string) => boolean;
  /** Folder for fetched output. */
  folder: string;
  /** Returns the address of an application. */
  endpointOf: (replica: string) => string;
  /** Returns a node's name for people. */
  nameOfNode: (id: string) => string;
  onChange: () => void;
  log: (text: string) => void;
}

/** Time beside the start-up timeout that Ray gets to find a node and to install packages. */
const placingMs = 60_000;
const streams = ["stdout", "stderr"] as const;

export class RayReplica {
  readonly labels: ReplicaLabels;
  /** Undefined for one of an earlier control plane, which Ray has counted. */
  readonly resources: RayResources | undefined;
  readonly #context: RayReplicaContext;
  readonly #log: ReplicaLog;
  readonly #outputs: readonly RemoteOutput[];
  readonly #startPhases: StartPhases;
  /** Aborted when the replica has exited, or the control plane stops. */
  readonly #ended = new AbortController();
  #phase: ReplicaPhase = "preparing";
  #progress: string | undefined;
  #readyAt: number | undefined;
  #phasesMs: Readonly<Record<string, number>> | undefined;
  #actor: string | undefined;
  #node: string | undefined;
  /** Serve's name for the replica, which is another one after a restart. */
  #serveId: string | undefined;
  /** Last report of the wrapper about the runner's exit. */
  #report: RunnerMarker | undefined;
  #exit: ReplicaExit | undefined;
  #isAdopted = false;
  #isStopping = false;
  #collecting: Promise<void> | undefined;

  constructor(context: RayReplicaContext, labels: ReplicaLabels, resources?: RayResources) {
    this.#context = context;
    this.labels = labels;
    this.resources = resources;
    this.#startPhases = new StartPhases(labels.startedAt);
    const { organisation, app, revision, replica } = labels;
    const of = { organisation, app, revision, replica };
    const file = context.logStore.fileOf(of);
    const raw = this.#raw;
    this.#outputs = streams.map((stream) => {
      return new RemoteOutput({
        file: raw[stream],
        fetchLast: async (lines) => {
          if (this.#actor === undefined) return undefined;
          return await context.client.lastOutput(this.#actor, stream, lines);
        },
      });
    });
    for (const rawFile of Object.values(raw)) closeSync(openSync(rawFile, "a", 0o600));
    this.#log = new ReplicaLog({
      ...{ file, of, raw },
      clock: context.clock,
      onText: (text) => this.#noteProgress(progressOf(text)),
      onMarker: (marker) => this.#noteMarker(marker),
      onGrowth: () => context.logStore.noteGrowth(file),
      onFailure: (error) =>
        context.log(`${replica}: cannot write its log: ${describeError(error)}`),
    });
  }

  get hasExited(): boolean {
    return this.#phase === "exited";
  }

  get isStarting(): boolean {
    return this.#phase === "preparing" || this.#phase === "setup";
  }

  /** True once Ray has found a node for it. */
  get isPlaced(): boolean {
    return this.#node !== undefined;
  }

  observe(): ReplicaObservation {
    const { replica, revision, startedAt } = this.labels;
    return {
      ...{ replica, revision, startedAt },
      phase: this.#phase,
      endpoint: this.#readyAt === undefined ? undefined : this.#context.endpointOf(replica),
      processId: undefined,
      node: this.#node === undefined ? undefined : this.#context.nameOfNode(this.#node),
      progress: this.#progress,
      readyAt: this.#readyAt,
      startPhasesMs: this.#phasesMs,
      exit: this.#exit,
      warnings: [],
      gpus: [],
    };
  }

  /** Takes over a replica of an earlier control plane. */
  async adopt(state: ApplicationState): Promise<void> {
    this.#log.event("adopted");
    this.#isAdopted = true;
    await this.update(state);
  }

  /** Takes in what Serve says now; the replica has exited when Serve has replaced it. */
  async update({ phase, message, placed }: ApplicationState): Promise<void> {
    if (this.hasExited || this.#isStopping) return;
    if (this.#readyAt !== undefined) {
      if (placed?.id !== this.#serveId) await this.end(undefined);
      return;
    }
    if (phase === "failed") {
      await this.#fail(message);
      return;
    }
    if (placed !== undefined && placed.actor !== this.#actor) this.#place(placed);
    if (phase === "running" && placed?.isRunning) await this.#becomeReady(placed.id);
    else if (this.#context.clock.wallMs() > this.#deadline) await this.#timeOut();
  }

  /** Ends a replica whose application is gone from the cluster. */
  async end(sentence: string | undefined): Promise<void> {
    if (this.hasExited) return;
    await this.collect(true);
    const report = this.#report && reportOf(this.#report, this.#log.tail);
    this.#finish(
      this.#isStopping
        ? this.#plainExit("stopped", "It was stopped on request.")
        : report !== undefined
          ? exitOf(report, this.#log.ending)
          : this.#plainExit("lost", sentence ?? "Ray has ended its process, or lost its node."),
    );
  }

  /** Notes that it is being stopped, so that its end is no failure. */
  stop(): void {
    this.#isStopping = true;
    this.#log.event("stopping on request");
  }

  /** Logs new output; joins a look that is under way unless it is the last one. */
  async collect(isFinal: boolean): Promise<void> {
    if (isFinal) await this.#collecting;
    this.#collecting ??= this.#collect(isFinal).finally(() => {
      this.#collecting = undefined;
    });
    await this.#collecting;
  }

  /** Stops watching. */
  close(): void {
    this.#ended.abort();
    this.#log.close();
  }

  /** Removes the fetched output; the log stays. */
  remove(): void {
    for (const file of Object.values(this.#raw)) rmSync(file, { force: true });
  }

  get #raw(): { stdout: string; stderr: string } {
    const file = path.join(this.#context.folder, this.labels.replica);
    return { stdout: `${file}.stdout`, stderr: `${file}.stderr` };
  }

  get #deadline(): number {
    return this.labels.startedAt + this.labels.startupTimeoutMs + placingMs;
  }

  #place({ actor, node }: { actor: string; node: string }): void {
    this.#actor = actor;
    this.#node = node;
    this.#startPhases.enter("launch", this.#context.clock.wallMs());
    this.#log.event(`started on node ${this.#context.nameOfNode(node)}`);
    this.#enter("setup");
  }

  async #becomeReady(serveId: string): Promise<void> {
    // Output before readiness belongs to the start.
    await this.collect(false);
    if (this.hasExited || this.#isStopping) return;
    const at = this.#context.clock.wallMs();
    this.#serveId = serveId;
    this.#readyAt = at;
    // The phases of a start that an earlier control plane saw are unknown.
    if (!this.#isAdopted) this.#logStart(at);
    this.#progress = undefined;
    this.#enter("ready");
    void this.#watchHealth();
  }

  #logStart(at: number): void {
    this.#phasesMs = this.#startPhases.end(at);
    const phases = describePhases(this.#phasesMs);
    const seconds = ((at - this.labels.startedAt) / 1000).toFixed(1);
    this.#log.event(`ready after ${seconds} s${phases === "" ? "" : ` (${phases})`}`);
  }

  async #watchHealth(): Promise<void> {
    const { health, isBusy, endpointOf } = this.#context;
    const { replica, healthPath, healthStatus } = this.labels;
    await watchHealth({
      address: readEndpoint(endpointOf(replica)),
      check: { path: healthPath, status: healthStatus },
      speaksHttp: true,
      settings: health,
      isBusy: () => isBusy(replica),
      onChange: (isHealthy) => {
        this.#log.event(isHealthy ? "healthy again" : "unhealthy: health checks fail");
        this.#enter(isHealthy ? "ready" : "unhealthy");
      },
      signal: this.#ended.signal,
    });
  }

  /** Serve has given up: the wrapper's report is in its message. */
  async #fail(message: string): Promise<void> {
    await this.collect(true);
    const report: ExitReport | undefined = readReport(message);
    this.#finish(
      report === undefined
        ? this.#plainExit("spawn_failed", `Ray could not start it: ${lastLine(message)}.`)
        : exitOf(report, this.#log.ending),
    );
  }

  async #timeOut(): Promise<void> {
    await this.collect(true);
    const limit = `${(this.labels.startupTimeoutMs + placingMs) / 1000} s`;
    const sentence = this.isPlaced
      ? `It was not ready within ${limit}.`
      : `Ray found no node for it within ${limit}.`;
    this.#finish(this.#plainExit("startup_timeout", sentence));
  }

  #plainExit(reason: string, sentence: string): ReplicaExit {
    return { code: undefined, signal: undefined, reason, sentence, tail: this.#log.tail };
  }

  #finish(exit: ReplicaExit): void {
    this.#ended.abort();
    this.#exit = exit;
    this.#log.event(`exited (${exit.reason}): ${exit.sentence}`);
    this.#log.close();
    this.#enter("exited");
  }

  async #collect(isFinal: boolean): Promise<void> {
    if (this.#actor === undefined || this.hasExited) return;
    try {
      await Promise.all(this.#outputs.map((output) => output.collect(isFinal)));
    } catch (error) {
      // The cluster may be gone; its state is polled elsewhere.
      this.#context.log(`${this.labels.replica}: cannot read its log: ${describeError(error)}`);
    }
    if (isFinal) await this.#log.collectRest();
    else this.#log.collect();
  }

  #noteMarker(marker: RunnerMarker): void {
    if (marker.phase === "exited") this.#report = marker;
    this.#noteProgress(progressOfMarker(marker), marker.at);
  }

  #noteProgress(progress: StartProgress | undefined, at = this.#context.clock.wallMs()): void {
    if (progress === undefined || progress.text === this.#progress) return;
    if (!this.isStarting) return;
    this.#startPhases.enter(progress.phase, at);
    this.#progress = progress.text;
    this.#context.onChange();
  }

  #enter(phase: ReplicaPhase): void {
    if (this.#phase === phase || this.#phase === "exited") return;
    this.#phase = phase;
    this.#context.onChange();
  }
}
