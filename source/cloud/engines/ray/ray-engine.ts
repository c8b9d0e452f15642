// Engine that runs each replica as an application of Ray Serve, on any node of a cluster. Ray places
// the replicas; the control plane decides how many there are, and starts new ones for those lost.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Clock, systemClock } from "../../../base/clock.ts";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import type {
  Capacity,
  Engine,
  EngineNode,
  LogLine,
  LogQuery,
  ReplicaObservation,
  ReplicaRequest,
  RevisionPlan,
} from "../engine.ts";
import { defaultHealth, type HealthSettings } from "../health-watch.ts";
import { type NodeNeed, nodeNeedOf, readMachineTypes } from "../machine-types.ts";
import { BundleUploads } from "./bundle-uploads.ts";
import { ClusterNodes } from "./cluster-nodes.ts";
import { ClusterWatch } from "./cluster-watch.ts";
import { capacityOf, resourcesOf, withPending } from "./node-resources.ts";
import type { RayClient } from "./ray-client.ts";
import type { RayNode, ServeState } from "./ray-documents.ts";
import { RayReplica, type RayReplicaContext } from "./ray-replica.ts";
import { ReplicaLogs } from "./replica-logs.ts";
import {
  applicationName,
  labelsFor,
  labelsOf,
  serveApplication,
  stateOf,
} from "./serve-application.ts";
import { ServeApplications } from "./serve-applications.ts";

export interface RayEngineOptions {
  stateFolder: string;
  client: RayClient;
  /** Distinguishes this server's applications from others; hexadecimal. */
  owner: string;
  /** Serve's proxy on the head node. */
  proxy: { host: string; port: number; listenHost: string };
  /** Logs the engine's own problems. */
  log: (text: string) => void;
  clock?: Clock;
  health?: HealthSettings;
  /** Returns true while the gateway has requests at a replica. */
  isBusy?: (replica: string) => boolean;
}

/** Time for which Serve must miss an application before it counts as lost. */
const missingMs = 5_000;
/** Age from which Ray's own figures count a replica's resources. */
const countedMs = 15_000;

/** Creates the engine; call `adopt` once, before anything else. */
export function createRayEngine(options: RayEngineOptions): Engine {
  return new RayEngine(options);
}

class RayEngine implements Engine {
  readonly kind = "ray";
  readonly #options: RayEngineOptions;
  readonly #client: RayClient;
  readonly #clock: Clock;
  readonly #logs: ReplicaLogs;
  readonly #nodes: ClusterNodes;
  readonly #applications: ServeApplications;
  readonly #context: RayReplicaContext;
  readonly #replicas = new Map<string, RayReplica>();
  readonly #starting = new Map<string, Promise<void>>();
  /** Applications that are being removed, with the function that ends the wait for it. */
  readonly #removing = new Map<string, PromiseWithResolvers<void>>();
  /** Times since which Serve misses an application. */
  readonly #missingSince = new Map<string, number>();
  readonly #uploads: BundleUploads;
  readonly #listeners = new Set<() => void>();
  readonly #watch: ClusterWatch;

  constructor(options: RayEngineOptions) {
    const { stateFolder, client, owner, proxy, log, clock = systemClock } = options;
    this.#options = options;
    this.#client = client;
    this.#clock = clock;
    this.#logs = new ReplicaLogs({ stateFolder, clock, living: () => this.#living(), log });
    this.#nodes = new ClusterNodes(client, clock);
    this.#applications = new ServeApplications({ client, owner, proxy });
    this.#uploads = new BundleUploads(client);
    this.#watch = new ClusterWatch({
      look: async () => await this.#look(),
      isBusy: () => this.#removing.size > 0 || this.#living().some(({ isStarting }) => isStarting),
      log,
    });
    const folder = path.join(stateFolder, "ray");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#context = {
      ...{ client, clock, folder, log, logStore: this.#logs.store },
      health: options.health ?? defaultHealth,
      isBusy: options.isBusy ?? (() => false),
      endpointOf: (replica) => {
        return `http://${proxy.host}:${proxy.port}/${applicationName(owner, replica)}`;
      },
      nameOfNode: (id) => this.#nodes.nameOf(id),
      onChange: () => this.#notify(),
    };
  }

  async prepare(plan: RevisionPlan, log: (text: string) => void): Promise<void> {
    try {
      await this.#uploads.upload(plan, (text) => {
        this.#logs.note(plan, "build", text);
        log(text);
      });
    } catch (error) {
      this.#logs.note(plan, "build", describeError(error));
      throw error;
    }
  }

  async startReplica(request: ReplicaRequest): Promise<void> {
    const { replica } = request;
    if (this.#replicas.has(replica) && !this.#starting.has(replica)) return;
    const underway = this.#starting.get(replica) ?? this.#start(request);
    this.#starting.set(replica, underway);
    try {
      await underway;
    } finally {
      this.#starting.delete(replica);
    }
  }

  /** Serve cuts the requests that remain after the grace period of the application. */
  async stopReplica(replica: string): Promise<void> {
    await this.#starting.get(replica)?.catch(() => {});
    const found = this.#replicas.get(replica);
    if (found === undefined || found.hasExited) return;
    const name = this.#nameOf(replica);
    const known = this.#removing.get(name);
    const removal = known ?? Promise.withResolvers<void>();
    if (known === undefined) {
      this.#removing.set(name, removal);
      found.stop();
      try {
        await this.#applications.remove(name);
      } catch (error) {
        this.#removing.delete(name);
        throw error;
      }
      this.#watch.wake();
    }
    await removal.promise;
    await found.end(undefined);
  }

  async observe(): Promise<ReplicaObservation[]> {
    return [...this.#replicas.values()].map((replica) => replica.observe());
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @throws ProductError `CLOUD_RAY_UNREACHABLE`: a silent cluster may still run replicas */
  async adopt(known: readonly string[]): Promise<void> {
    const wanted = new Set(known);
    const state = await this.#client.serve();
    await this.#nodes.read();
    for (const [name, application] of Object.entries(state.applications)) {
      const labels = labelsOf(application);
      if (labels === undefined || name !== this.#nameOf(labels.replica)) continue;
      const now = stateOf(application);
      if (!wanted.has(labels.replica) || now.phase === "deleting") continue;
      this.#applications.keep(name);
      const replica = new RayReplica(this.#context, labels);
      this.#replicas.set(labels.replica, replica);
      await replica.adopt(now);
    }
    await this.#applications.removeOthers(state);
    this.#logs.removeOld();
    this.#watch.wake();
  }

  async forget(replica: string): Promise<void> {
    const found = this.#replicas.get(replica);
    if (found === undefined) return;
    if (!found.hasExited) {
      throw new ProductError(cloudErrors.conflict, {
        message: `Replica ${replica} is still running`,
        hint: "Stop it first.",
      });
    }
    this.#replicas.delete(replica);
    found.remove();
  }

  async capacity(plan: RevisionPlan): Promise<Capacity> {
    try {
      return capacityOf(this.#needsOf(plan), await this.#freeNodes());
    } catch (error) {
      if (!(error instanceof ProductError)) throw error;
      return { fits: false, reason: error.message, replicas: 0, canEverFit: true };
    }
  }

  nodes(): EngineNode[] {
    return this.#nodes.list();
  }

  logs(query: LogQuery): AsyncGenerator<LogLine> {
    return this.#logs.query(query);
  }

  record(of: Pick<RevisionPlan, "organisation" | "app" | "revision">, text: string): void {
    this.#logs.note(of, "control", text);
  }

  /** Ray removes packages that no application uses. */
  async destroy(plan: RevisionPlan): Promise<void> {
    this.#uploads.forget(plan);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#starting.values(), this.#watch.close()]);
    for (const removal of this.#removing.values()) removal.resolve();
    for (const replica of this.#replicas.values()) replica.close();
    this.#logs.close();
    this.#listeners.clear();
  }

  async #start(request: ReplicaRequest): Promise<void> {
    const { plan } = request;
    const { owner } = this.#options;
    const needs = this.#needsOf(plan);
    const nodes = await this.#freeNodes();
    const { fits, reason } = capacityOf(needs, nodes);
    if (!fits) {
      throw new ProductError(cloudErrors.noCapacity, {
        message: `Cannot start a replica: ${reason ?? "the cluster has no room"}`,
        hint: "Stop another replica, add a node, or choose other hardware.",
      });
    }
    const packageName = await this.#uploads.upload(plan, () => {});
    const labels = labelsFor(request, this.#clock.wallMs());
    const resources = resourcesOf(needs, nodes);
    const options = { owner, packageName, labels, resources };
    await this.#applications.add(serveApplication(request, options));
    this.#replicas.set(request.replica, new RayReplica(this.#context, labels, resources));
    this.#notify();
    this.#watch.wake();
  }

  /** Returns the nodes; replicas that Ray does not count yet take their resources. */
  async #freeNodes(): Promise<RayNode[]> {
    const nodes = await this.#nodes.read();
    const uncounted = this.#clock.wallMs() - countedMs;
    const pending = this.#living().filter(({ isPlaced, labels }) => {
      return !isPlaced || labels.startedAt > uncounted;
    });
    const resources = pending.map((replica) => replica.resources);
    return withPending(nodes, resources);
  }

  #needsOf({ config }: RevisionPlan): [NodeNeed, ...NodeNeed[]] {
    const { hardware } = config;
    const { stateFolder, log } = this.#options;
    const types = readMachineTypes(stateFolder, log);
    const others = (hardware.alternatives ?? []).map((one) => nodeNeedOf(one, types));
    return [nodeNeedOf(hardware, types), ...others];
  }

  /** Takes in what Serve says about all replicas. */
  async #look(): Promise<void> {
    const state = await this.#client.serve();
    await this.#nodes.refresh();
    await this.#logs.collect();
    // A node that is gone keeps those on it waiting for their last output.
    await Promise.all(this.#living().map((replica) => this.#update(replica, state)));
    await this.#applications.removeOthers(state);
  }

  async #update(replica: RayReplica, { applications }: ServeState): Promise<void> {
    const name = this.#nameOf(replica.labels.replica);
    const application = applications[name];
    if (application === undefined) {
      await this.#miss(replica, name);
    } else {
      this.#missingSince.delete(name);
      const current = stateOf(application);
      await this.#nodes.refresh(current.placed?.node);
      await replica.update(current);
    }
    // Serve starts another one in its place, which the control plane does not know.
    if (replica.hasExited) this.#applications.drop(name);
  }

  /** Serve may miss an application for a moment while its controller is started again. */
  async #miss(replica: RayReplica, name: string): Promise<void> {
    const removal = this.#removing.get(name);
    if (removal !== undefined) {
      this.#removing.delete(name);
      removal.resolve();
      return;
    }
    const now = this.#clock.now();
    const since = this.#missingSince.get(name) ?? now;
    this.#missingSince.set(name, since);
    if (now - since < missingMs) return;
    this.#missingSince.delete(name);
    await replica.end("The cluster has lost it, for example because its head was started again.");
  }

  #living(): RayReplica[] {
    return [...this.#replicas.values()].filter(({ hasExited }) => !hasExited);
  }

  #nameOf(replica: string): string {
    return applicationName(this.#options.owner, replica);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
