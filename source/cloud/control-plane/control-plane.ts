// The control plane: what is desired of apps, and the loop that brings it about.
import { type Clock, systemClock } from "../../base/clock.ts";
import type {
  AppDetails,
  AppDocument,
  DeployEvent,
  DeploymentRequest,
  EphemeralEvent,
  ReplicaDocument,
  RevisionDocument,
} from "../admin/documents.ts";
import type { ScaleSettings } from "../app-config.ts";
import { suggestName } from "../app-name.ts";
import type { Engine } from "../engines/engine.ts";
import type { Traffic } from "../gateway/traffic.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import type { CloudStore } from "../state/cloud-store.ts";
import { AppCommands } from "./app-commands.ts";
import { stableMs as usualStableMs } from "./back-off.ts";
import { Complaints } from "./complaints.ts";
import type { ControlContext } from "./control-context.ts";
import { type ActivateRequest, Deployments } from "./deployments.ts";
import { Documents } from "./documents-of.ts";
import { EphemeralRuns } from "./ephemeral-runs.ts";
import { Reconciler } from "./reconciler.ts";
import { ReplicaKeeper } from "./replica-keeper.ts";
import { routingTable } from "./routing-table.ts";
import { Scaler } from "./scaler.ts";
import { untilBuilt } from "./until-built.ts";

export interface ControlPlaneOptions {
  store: CloudStore;
  engine: Engine;
  traffic: Traffic;
  log: (text: string) => void;
  /** Such as `http://127.0.0.1:8480`; asked each time, as the port may be drawn late. */
  baseUrl: () => string;
  clock?: Clock;
  /** 0..1, drawn anew. */
  random?: () => number;
  /** How long a replica is to be ready before its end is no failure in a row; usually 10 s. */
  stableMs?: number | undefined;
  /** Between two looks without a cause. */
  intervalMs?: number;
}

const dayMs = 86_400_000;
/** A disk may fill while nothing is to be written. */
const stateExaminedEveryMs = 60_000;

/** All methods throw the ProductErrors of the parts that they call. */
export class ControlPlane {
  readonly #context: ControlContext;
  readonly #keeper: ReplicaKeeper;
  readonly #scaler: Scaler;
  readonly #deployments: Deployments;
  readonly #commands: AppCommands;
  readonly #runs: EphemeralRuns;
  readonly #documents: Documents;
  readonly #reconciler: Reconciler;
  #stopListening: () => void = () => {};
  #stateFault: string | undefined;
  /** Monotonic; opening the database has written to it. */
  #stateExaminedAt: number;

  constructor(options: ControlPlaneOptions) {
    const { store, engine, traffic, log, baseUrl, clock = systemClock } = options;
    const context: ControlContext = {
      ...{ store, engine, traffic, log, baseUrl, clock },
      complaints: new Complaints(log, clock),
      stateFault: () => this.#stateFault,
      random: options.random ?? Math.random,
      stableMs: options.stableMs ?? usualStableMs,
      observations: new Map(),
      shortages: new Map(),
      usedReplicas: new Set(),
      lackingSince: new Map(),
      publish: () => traffic.publish(routingTable(context)),
      wake: (delayMs) => this.#reconciler.wake(delayMs),
    };
    this.#context = context;
    this.#stateExaminedAt = clock.now();
    this.#keeper = new ReplicaKeeper(context);
    this.#scaler = new Scaler(context, this.#keeper);
    this.#deployments = new Deployments(context, this.#keeper);
    this.#commands = new AppCommands(context, this.#keeper, this.#deployments);
    this.#runs = new EphemeralRuns(context, {
      keeper: this.#keeper,
      deployments: this.#deployments,
      commands: this.#commands,
    });
    this.#documents = new Documents(context, this.#scaler);
    this.#reconciler = new Reconciler({
      lookAtAll: () => this.#lookAtAll(),
      lookAt: (app) => this.#lookAt(app),
      log,
      intervalMs: options.intervalMs ?? 1000,
    });
  }

  /** Takes up what an earlier control plane left: from here on the gateway has its table. */
  async adopt(): Promise<void> {
    await this.#keeper.adopt();
    this.#context.publish();
  }

  /** Begins to look, and to start what is wanted. After `adopt`, once. */
  async start(): Promise<void> {
    const { engine, traffic } = this.#context;
    await this.#runs.endAll();
    const stops = [
      engine.onChange(() => this.#reconciler.wake()),
      traffic.onDemand((organisation, app) =>
        this.#reconciler.wakeFor(appName({ organisation, app })),
      ),
    ];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
    this.#reconciler.start();
    this.#deployments.resume();
  }

  /** Ends all replicas; apps keep what is desired of them. Nothing is started any more. */
  async stopReplicas(drainMs: number): Promise<void> {
    await this.#rest();
    await this.#keeper.stopAll(drainMs);
  }

  /** Replicas live on, for the next control plane. */
  async close(): Promise<void> {
    await this.#rest();
    await this.#keeper.close();
  }

  async deploy(
    request: DeploymentRequest,
    { organisation, createdBy }: { organisation: string; createdBy: string | undefined },
  ): Promise<AsyncIterable<DeployEvent>> {
    const { script } = request.bundle;
    const key = { organisation, app: request.name ?? suggestName(script.split("/").at(-1) ?? "") };
    const feed = await this.#deployments.accept(request, { key, isEphemeral: false, createdBy });
    return request.isDetached
      ? untilBuilt(this.#context, this.#documents, key, feed.read())
      : feed.read();
  }

  async run(
    request: DeploymentRequest,
    organisation: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<EphemeralEvent>> {
    return await this.#runs.run(request, organisation, signal);
  }

  /** @param revision as `RevisionRecords.get` takes it, or `previous` */
  activate(
    key: AppKey,
    {
      revision,
      isDetached,
      ...rest
    }: ActivateRequest & { revision: string; isDetached?: boolean | undefined },
  ): AsyncIterable<DeployEvent> {
    const { store } = this.#context;
    store.apps.get(key);
    const record =
      revision === "previous"
        ? this.#commands.previousRevision(key)
        : store.revisions.get({ ...key, revision });
    const feed = this.#deployments.switchTo(record, rest);
    return isDetached ? untilBuilt(this.#context, this.#documents, key, feed.read()) : feed.read();
  }

  /** New replicas of the active revision take over. */
  rollout(key: AppKey): AsyncIterable<DeployEvent> {
    const { store } = this.#context;
    const { activeRevision } = store.apps.get(key);
    const revision = store.revisions.get({ ...key, revision: activeRevision ?? "none" });
    return this.#deployments.activate(revision, {}).read();
  }

  apps(): AppDocument[] {
    const apps = this.#context.store.apps.list().filter(({ desired }) => desired !== "deleted");
    return apps.map((app) => this.#documents.app(app));
  }

  app(key: AppKey): AppDetails {
    return this.#documents.details(this.#context.store.apps.get(key));
  }

  scale(key: AppKey, change: Partial<ScaleSettings> | undefined): AppDocument {
    this.#commands.scale(key, change);
    return this.app(key);
  }

  pause(key: AppKey): AppDocument {
    this.#commands.pause(key);
    return this.app(key);
  }

  resume(key: AppKey): AppDocument {
    this.#commands.resume(key);
    return this.app(key);
  }

  async delete(key: AppKey): Promise<void> {
    await this.#commands.delete(key);
  }

  revisions(key: AppKey): RevisionDocument[] {
    const { store } = this.#context;
    return store.revisions.list(store.apps.get(key)).map((each) => this.#documents.revision(each));
  }

  pinRevision(key: AppKey, revision: string, isPinned: boolean): void {
    const { store } = this.#context;
    this.#commands.pin(store.revisions.get({ ...store.apps.get(key), revision }), isPinned);
  }

  async deleteRevision(key: AppKey, revision: string): Promise<void> {
    const { store } = this.#context;
    await this.#commands.deleteRevision(store.revisions.get({ ...store.apps.get(key), revision }));
  }

  replicas(key?: AppKey): ReplicaDocument[] {
    if (key === undefined) return this.#documents.replicas();
    return this.#documents.replicas(this.#context.store.apps.get(key));
  }

  /** Those of all apps that have not ended. */
  livingReplicas(): ReplicaDocument[] {
    return this.#documents.living();
  }

  /** Why what happens cannot be written down, where it cannot. */
  get stateFault(): string | undefined {
    return this.#stateFault;
  }

  stopReplica(replica: string, { replace }: { replace: boolean }): void {
    this.#commands.stopReplica(replica, replace);
  }

  killReplica(replica: string): void {
    this.#commands.killReplica(replica);
  }

  async #rest(): Promise<void> {
    this.#stopListening();
    await this.#reconciler.close();
    await this.#deployments.close();
  }

  async #lookAtAll(): Promise<void> {
    const { store, clock, publish } = this.#context;
    try {
      await this.#keeper.observe();
      for (const app of store.apps.list()) {
        if (app.desired !== "deleted") await this.#lookAt(appName(app));
      }
      await this.#commands.clearDeleted();
      store.replicas.prune(clock.wallMs() - dayMs);
    } finally {
      this.#examineState();
      // What ends with time alone, such as a back-off, is in nobody's event.
      publish();
    }
  }

  /** Now and then, and at each look where something went wrong: it costs a write. */
  #examineState(): void {
    const { store, complaints, log, clock } = this.#context;
    const isDue = clock.now() - this.#stateExaminedAt >= stateExaminedEveryMs;
    if (this.#stateFault === undefined && !complaints.isOpen && !isDue) return;
    this.#stateExaminedAt = clock.now();
    const fault = store.database.writingFault();
    if (fault === this.#stateFault) return;
    this.#stateFault = fault;
    log(fault ?? "What happens can be written down again.");
  }

  /** One app that cannot be helped must not keep the others waiting. */
  async #lookAt(name: string): Promise<void> {
    const { store, complaints } = this.#context;
    const [organisation = "", app = ""] = name.split("/");
    const record = store.apps.find({ organisation, app });
    if (record === undefined) return complaints.end(name);
    try {
      await this.#scaler.evaluate(record);
      complaints.end(name);
    } catch (error) {
      complaints.tell(name, error);
    }
  }
}
