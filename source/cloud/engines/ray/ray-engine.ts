// Engine that runs each replica as an application of Ray Serve, on any node of a cluster. Ray places
// the replicas; the control plane decides how many there are, and starts new ones for those lost.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import type {
  Capacity,
  Engine,
  EngineNode,
  LogLine,
  LogQuery,
  ReplicaRequest,
  RevisionPlan,
} from "../engine.ts";
import type { LogPlace } from "../logs/log-store.ts";
import { inOrder, type NodeNeed, nodeNeedOf, readMachineTypes } from "../machine-types.ts";
import { ReplicaEngine, type ReplicaEngineOptions } from "../replica-engine.ts";
import { BundleUploads } from "./bundle-package.ts";
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

export interface RayEngineOptions extends ReplicaEngineOptions {
  client: RayClient;
  /** Distinguishes this server's applications from others; hexadecimal. */
  owner: string;
  /** Serve's proxy on the head node. */
  proxy: { host: string; port: number; listenHost: string };
}

/** Time for which Serve must miss an application before it counts as lost. */
const missingMs = 5_000;
/** Age from which Ray's own figures count a replica's resources. */
const countedMs = 15_000;

/** Creates the engine; call `adopt` once, before anything else. */
export function createRayEngine(options: RayEngineOptions): Engine {
  return new RayEngine(options);
}

class RayEngine extends ReplicaEngine<RayReplica> implements Engine {
  readonly kind = "ray";
  readonly #options: RayEngineOptions;
  readonly #client: RayClient;
  readonly #logs: ReplicaLogs;
  readonly #nodes: ClusterNodes;
  readonly #applications: ServeApplications;
  readonly #context: RayReplicaContext;
  /** Applications that are being removed, with the function that ends the wait for it. */
  readonly #removing = new Map<string, PromiseWithResolvers<void>>();
  /** Times since which Serve misses an application. */
  readonly #missingSince = new Map<string, number>();
  readonly #uploads: BundleUploads;
  readonly #watch: ClusterWatch;

  constructor(options: RayEngineOptions) {
    super(options);
    const { stateFolder, client, owner, proxy, log } = options;
    const { clock } = this;
    this.#options = options;
    this.#client = client;
    this.#logs = new ReplicaLogs({ store: this.logStore, clock, living: () => this.living() });
    this.#nodes = new ClusterNodes(client, clock);
    this.#applications = new ServeApplications({ client, owner, proxy });
    this.#uploads = new BundleUploads(client);
    this.#watch = new ClusterWatch({
      look: async () => await this.#look(),
      isBusy: () => this.#removing.size > 0 || this.living().some(({ isStarting }) => isStarting),
      log,
    });
    const folder = path.join(stateFolder, "ray");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#context = {
      ...this.replicaContext,
      ...{ client, folder },
      endpointOf: (replica) => {
        return `http://${proxy.host}:${proxy.port}/${applicationName(owner, replica)}`;
      },
      nameOfNode: (id) => this.#nodes.nameOf(id),
    };
  }

  /** Serve cuts the requests that remain after the grace period of the application. */
  async stopReplica(replica: string): Promise<void> {
    // A failed start has reported why.
    await this.starting.get(replica)?.catch(() => {});
    const found = this.replicas.get(replica);
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
      this.replicas.set(labels.replica, replica);
      await replica.adopt(now);
    }
    await this.#applications.removeOthers(state);
    this.removeOldLogs();
    this.#watch.wake();
  }

  async forget(replica: string): Promise<void> {
    this.drop(replica)?.remove();
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

  async openShell(replica: string): Promise<never> {
    throw this.#outOfReach(replica, "A shell cannot be opened");
  }

  async connect(replica: string): Promise<never> {
    throw this.#outOfReach(replica, "Ports cannot be forwarded");
  }

  /** Ray's API offers neither terminals nor connections to the ports of a node. */
  #outOfReach(replica: string, what: string): ProductError {
    const node = this.replicas.get(replica)?.observe().node;
    const place =
      node === undefined ? "a node of the Ray cluster" : `node ${node} of the Ray cluster`;
    return new ProductError(cloudErrors.conflict, {
      message: `${what}: runner ${replica} runs on ${place}, which this server reaches only through Ray's HTTP proxy.`,
      hint: "Log in to the node, for example with ssh or kubectl exec.",
    });
  }

  /** Ray removes packages that no application uses. */
  async destroy(plan: RevisionPlan): Promise<void> {
    this.#uploads.forget(plan);
  }

  override async close(): Promise<void> {
    await this.#watch.close();
    for (const removal of this.#removing.values()) removal.resolve();
    await super.close();
  }

  protected async build(plan: RevisionPlan, log: (text: string) => void): Promise<void> {
    await this.#uploads.upload(plan, log);
  }

  protected placeOf({ labels }: RayReplica): LogPlace {
    return labels;
  }

  protected async start(request: ReplicaRequest): Promise<void> {
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
    const labels = labelsFor(request, this.clock.wallMs());
    const resources = resourcesOf(needs, nodes);
    const options = { owner, packageName, labels, resources };
    await this.#applications.add(serveApplication(request, options));
    this.replicas.set(request.replica, new RayReplica(this.#context, labels, resources));
    this.notify();
    this.#watch.wake();
  }

  /** Returns the nodes; replicas that Ray does not count yet take their resources. */
  async #freeNodes(): Promise<RayNode[]> {
    const nodes = await this.#nodes.read();
    const uncounted = this.clock.wallMs() - countedMs;
    const pending = this.living().filter(({ isPlaced, labels }) => {
      return !isPlaced || labels.startedAt > uncounted;
    });
    const resources = pending.map((replica) => replica.resources);
    return withPending(nodes, resources);
  }

  #needsOf({ config }: RevisionPlan): [NodeNeed, ...NodeNeed[]] {
    const types = readMachineTypes(this.#options.stateFolder, this.#options.log);
    return inOrder(config.hardware, (one) => nodeNeedOf(one, types));
  }

  /** Takes in what Serve says about all replicas. */
  async #look(): Promise<void> {
    const state = await this.#client.serve();
    await this.#nodes.refresh();
    await this.#logs.collect();
    // All at once, since replicas on a lost node wait a while for their last output.
    await Promise.all(this.living().map((replica) => this.#update(replica, state)));
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
    // Serve starts another replica in its place, which the control plane does not know.
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
    const now = this.clock.now();
    const since = this.#missingSince.get(name) ?? now;
    this.#missingSince.set(name, since);
    if (now - since < missingMs) return;
    this.#missingSince.delete(name);
    await replica.end("The cluster has lost it, for example because its head was started again.");
  }

  #nameOf(replica: string): string {
    return applicationName(this.#options.owner, replica);
  }
}
