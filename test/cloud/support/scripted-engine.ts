// Engine whose replicas a test scripts, for states that real processes cannot be put in reliably. It
// outlives the control plane, as processes do.
import type { Socket } from "node:net";
import type {
  Capacity,
  Engine,
  EngineNode,
  LogLine,
  ReplicaExit,
  ReplicaObservation,
  ReplicaRequest,
  RevisionPlan,
} from "../../../source/cloud/engines/engine.ts";
import type { EngineWarning } from "../../../source/cloud/engines/engine-warnings.ts";
import { connectToPort } from "../../../source/cloud/engines/process/replica-shell.ts";

/** Behaviour of a replica once it is started. */
export type Fate = "ready" | "wait" | { exit: Partial<ReplicaExit> };

export function exitOf(change: Partial<ReplicaExit>): ReplicaExit {
  const plain = { code: 1, signal: undefined, reason: "exited", sentence: "It ended.", tail: [] };
  return { ...plain, ...change };
}

export class ScriptedEngine implements Engine {
  readonly kind = "process";
  /** Called for every replica that is started. */
  fate: (request: ReplicaRequest) => Fate = () => "ready";
  /** Maximum number of replicas. */
  slots = 100;
  shortage: Pick<Capacity, "reason" | "canEverFit"> = { reason: "no room", canEverFit: true };
  prepareFault: Error | undefined;
  /** Replicas that were requested to start, in order. */
  readonly started: ReplicaRequest[] = [];
  readonly stopped: { replica: string; signal: string }[] = [];
  readonly destroyed: string[] = [];
  endpoint = "http://127.0.0.1:1";
  warnings: EngineWarning[] = [];
  readonly #living = new Map<string, ReplicaObservation>();
  readonly #listeners = new Set<() => void>();

  get living(): string[] {
    return [...this.#living.values()]
      .filter(({ phase }) => phase !== "exited")
      .map(({ replica }) => replica);
  }

  async prepare(): Promise<void> {
    if (this.prepareFault !== undefined) throw this.prepareFault;
  }

  async startReplica(request: ReplicaRequest): Promise<void> {
    const { replica, plan } = request;
    if (this.#living.has(replica)) return;
    this.started.push(request);
    this.#living.set(replica, {
      replica,
      revision: plan.revision,
      phase: "setup",
      endpoint: undefined,
      processId: 4_000_000 + this.started.length,
      progress: undefined,
      startedAt: Date.now(),
      readyAt: undefined,
      exit: undefined,
      warnings: this.warnings,
      gpus: [],
    });
    const fate = this.fate(request);
    if (fate === "ready") this.become(replica, "ready");
    else if (fate !== "wait") this.end(replica, fate.exit);
  }

  become(replica: string, phase: "ready" | "unhealthy"): void {
    const { endpoint } = this;
    this.#change(replica, { phase, endpoint });
  }

  tell(replica: string, progress: string): void {
    this.#change(replica, { progress });
  }

  end(replica: string, exit: Partial<ReplicaExit> = {}): void {
    this.#change(replica, { phase: "exited", exit: exitOf(exit) });
  }

  /** Loses a replica, as a machine may between two observations. */
  vanish(replica: string): void {
    this.#living.delete(replica);
  }

  async stopReplica(replica: string, { signal }: { signal: string }): Promise<void> {
    this.stopped.push({ replica, signal });
    if (this.#living.has(replica)) this.end(replica, { reason: "stopped" });
  }

  async observe(): Promise<ReplicaObservation[]> {
    return [...this.#living.values()];
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async adopt(): Promise<void> {}

  async forget(replica: string): Promise<void> {
    this.#living.delete(replica);
  }

  async capacity(): Promise<Capacity> {
    const replicas = Math.max(0, this.slots - this.living.length);
    const fits = replicas > 0;
    return { fits, replicas, ...(fits ? { reason: undefined, canEverFit: true } : this.shortage) };
  }

  nodes(): EngineNode[] {
    return [];
  }

  async *logs(): AsyncGenerator<LogLine> {}

  record(): void {}

  async openShell(): Promise<never> {
    throw new Error("a scripted replica has no shell");
  }

  async connect(replica: string, port: number): Promise<Socket> {
    return await connectToPort(replica, port, port);
  }

  async destroy({ revision }: RevisionPlan): Promise<void> {
    this.destroyed.push(revision);
  }

  async close(): Promise<void> {}

  #change(replica: string, change: Partial<ReplicaObservation>): void {
    const known = this.#living.get(replica);
    if (known === undefined) throw new Error(`no replica ${replica}`);
    this.#living.set(replica, { ...known, ...change });
    for (const listener of this.#listeners) listener();
  }
}
