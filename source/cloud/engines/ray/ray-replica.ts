// Replica on a Ray cluster: its log, its phase and its exit, from what Serve says about it.
import { rmSync } from "node:fs";
import path from "node:path";
import { describeError } from "../../../base/product-error.ts";
import { readEndpoint } from "../../replica-address.ts";
import type { ReplicaExit, ReplicaObservation } from "../engine.ts";
import { checkOf, EngineReplica, type EngineReplicaContext } from "../engine-replica.ts";
import type { ReplicaMarker } from "../replica-marker.ts";
import { exitOf, lastLine, readReport } from "./actor-exit.ts";
import type { RayResources } from "./node-resources.ts";
import type { RayClient } from "./ray-client.ts";
import { RemoteOutput } from "./remote-output.ts";
import type { ApplicationState, ReplicaLabels } from "./serve-application.ts";

export interface RayReplicaContext extends EngineReplicaContext {
  client: RayClient;
  /** Folder for fetched output. */
  folder: string;
  /** Returns the address of an application. */
  endpointOf: (replica: string) => string;
  /** Returns a node's name for people. */
  nameOfNode: (id: string) => string;
}

/** Time beside the start-up timeout that Ray gets to find a node and to install packages. */
const placingMs = 60_000;
const streams = ["stdout", "stderr"] as const;

export class RayReplica extends EngineReplica<RayReplicaContext> {
  readonly labels: ReplicaLabels;
  /** Undefined for one of an earlier control plane, which Ray has counted. */
  readonly resources: RayResources | undefined;
  readonly #raw: { stdout: string; stderr: string };
  readonly #outputs: readonly RemoteOutput[];
  #readyAt: number | undefined;
  #phasesMs: Readonly<Record<string, number>> | undefined;
  #actor: string | undefined;
  #node: string | undefined;
  /** Serve's name for the replica, which is another one after a restart. */
  #serveId: string | undefined;
  /** Last report of the wrapper about the runner's exit. */
  #report: ReplicaMarker | undefined;
  #isAdopted = false;
  #isStopping = false;
  #collecting: Promise<void> | undefined;

  constructor(context: RayReplicaContext, labels: ReplicaLabels, resources?: RayResources) {
    const file = path.join(context.folder, labels.replica);
    const raw = { stdout: `${file}.stdout`, stderr: `${file}.stderr` };
    super(context, labels, raw);
    this.labels = labels;
    this.resources = resources;
    this.#raw = raw;
    this.#outputs = streams.map((stream) => {
      return new RemoteOutput({
        file: raw[stream],
        fetchLast: async (lines) => {
          if (this.#actor === undefined) return undefined;
          return await context.client.lastOutput(this.#actor, stream, lines);
        },
      });
    });
  }

  /** True once Ray has found a node for it. */
  get isPlaced(): boolean {
    return this.#node !== undefined;
  }

  observe(): ReplicaObservation {
    const { replica, revision, startedAt } = this.labels;
    return {
      ...{ replica, revision, startedAt },
      phase: this.phase,
      endpoint: this.#readyAt === undefined ? undefined : this.context.endpointOf(replica),
      processId: undefined,
      node: this.#node === undefined ? undefined : this.context.nameOfNode(this.#node),
      progress: this.progress,
      readyAt: this.#readyAt,
      startPhasesMs: this.#phasesMs,
      exit: this.exit,
      warnings: [],
      gpus: [],
    };
  }

  /** Takes over a replica of an earlier control plane. */
  async adopt(state: ApplicationState): Promise<void> {
    this.log.event("adopted");
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
    else if (this.context.clock.wallMs() > this.#deadline) await this.#timeOut();
  }

  /** Ends a replica whose application is gone from the cluster. */
  async end(sentence: string | undefined): Promise<void> {
    if (this.hasExited) return;
    await this.collect(true);
    const report = this.#report && { ...this.#report, tail: this.log.tail };
    this.finish(
      this.#isStopping
        ? this.#plainExit("stopped", "It was stopped on request.")
        : report !== undefined
          ? exitOf(report, this.log.ending)
          : this.#plainExit("lost", sentence ?? "Ray has ended its process, or lost its node."),
    );
  }

  /** Notes that it is being stopped, so that its end is no failure. */
  stop(): void {
    this.#isStopping = true;
    this.log.event("stopping on request");
  }

  /** Logs new output. Joins a read that is under way, unless this one is final. */
  async collect(isFinal: boolean): Promise<void> {
    if (isFinal) await this.#collecting;
    this.#collecting ??= this.#collect(isFinal).finally(() => {
      this.#collecting = undefined;
    });
    await this.#collecting;
  }

  /** Removes the fetched output; the log stays. */
  remove(): void {
    for (const file of Object.values(this.#raw)) rmSync(file, { force: true });
  }

  get #deadline(): number {
    return this.labels.startedAt + this.labels.startupTimeoutMs + placingMs;
  }

  #place({ actor, node }: { actor: string; node: string }): void {
    this.#actor = actor;
    this.#node = node;
    this.startPhases.enter("launch", this.context.clock.wallMs());
    this.log.event(`started on node ${this.context.nameOfNode(node)}`);
    this.enter("setup");
  }

  async #becomeReady(serveId: string): Promise<void> {
    // Output before readiness belongs to the start.
    await this.collect(false);
    if (this.hasExited || this.#isStopping) return;
    const at = this.context.clock.wallMs();
    this.#serveId = serveId;
    this.#readyAt = at;
    // The phases of a start that an earlier control plane saw are unknown.
    if (!this.#isAdopted) this.#phasesMs = this.endStart(this.labels.startedAt, at);
    this.progress = undefined;
    this.enter("ready");
    const address = readEndpoint(this.context.endpointOf(this.labels.replica));
    void this.watchHealth(address, checkOf(this.labels), true);
  }

  /** Serve has given up: the wrapper's report is in its message. */
  async #fail(message: string): Promise<void> {
    await this.collect(true);
    const report = readReport(message);
    this.finish(
      report === undefined
        ? this.#plainExit("spawn_failed", `Ray could not start it: ${lastLine(message)}.`)
        : exitOf(report, this.log.ending),
    );
  }

  async #timeOut(): Promise<void> {
    await this.collect(true);
    const limit = `${(this.labels.startupTimeoutMs + placingMs) / 1000} s`;
    const sentence = this.isPlaced
      ? `It was not ready within ${limit}.`
      : `Ray found no node for it within ${limit}.`;
    this.finish(this.#plainExit("startup_timeout", sentence));
  }

  #plainExit(reason: string, sentence: string): ReplicaExit {
    return { code: undefined, signal: undefined, reason, sentence, tail: this.log.tail };
  }

  async #collect(isFinal: boolean): Promise<void> {
    if (this.#actor === undefined || this.hasExited) return;
    try {
      await Promise.all(this.#outputs.map((output) => output.collect(isFinal)));
    } catch (error) {
      // The cluster may be gone; its state is polled elsewhere.
      this.context.log(`${this.labels.replica}: cannot read its log: ${describeError(error)}`);
    }
    if (isFinal) await this.log.collectRest();
    else this.log.collect();
  }

  protected override noteMarker(marker: ReplicaMarker): void {
    if (marker.phase === "exited") this.#report = marker;
    super.noteMarker(marker);
  }
}
