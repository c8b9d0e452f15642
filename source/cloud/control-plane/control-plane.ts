// Control plane: the desired state of apps, and the loop that reaches it.
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
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type { Traffic } from "../gateway/traffic.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import type { CloudStore } from "../state/cloud-store.ts";
import { AppCommands } from "./app-commands.ts";
import { stableMs as usualStableMs } from "./back-off.ts";
import type { ControlContext } from "./control-context.ts";
import { type ActivateRequest, Deployments } from "./deployments.ts";
import { Documents } from "./documents-of.ts";
import { EphemeralRuns } from "./ephemeral-runs.ts";
import { ErrorStreaks } from "./error-streaks.ts";
import { Reconciler } from "./reconciler.ts";
import { RecurringErrors } from "./recurring-errors.ts";
import { ReplicaManager } from "./replica-manager.ts";
import { routingTable } from "./routing-table.ts";
import { Scaler } from "./scaler.ts";
import { untilBuilt } from "./until-built.ts";

export interface ControlPlaneOptions {
  store: CloudStore;
  engine: Engine;
  traffic: Traffic;
  log: (text: string) => void;
  /**
   * Public address, such as `http://127.0.0.1:8480`; read each time, as the port may be chosen
   * late.
   */
  baseUrl: () => string;
  clock?: Clock;
  /** Returns a random number in 0..1. */
  random?: () => number;
  /** Time that a replica must be ready to count as stable; defaults to 10 s. */
  stableMs?: number | undefined;
  /** Interval between reconciliations without a trigger. */
  intervalMs?: number;
}

const dayMs = 86_400_000;
/** A disk may fill up while nothing is being written. */
const stateExaminedEveryMs = 60_000;

/** All methods throw the ProductErrors of the parts that they call. */
export class ControlPlane {
  readonly #context: ControlContext;
  readonly #manager: ReplicaManager;
  readonly #scaler: Scaler;
  readonly #deployments: Deployments;
  readonly #commands: AppCommands;
  readonly #runs: EphemeralRuns;
  readonly #documents: Documents;
  readonly #reconciler: Reconciler;
  #stopListening: () => void = () => {};
  #stateFault: string | undefined;
  /** Monotonic; opening the database counts, as it writes. */
  #stateExaminedAt: number;

  constructor(options: ControlPlaneOptions) {
    const { store, engine, traffic, log, baseUrl, clock = systemClock } = options;
    const context: ControlContext = {
      ...{ store, engine, traffic, log, baseUrl, clock },
      recurringErrors: new RecurringErrors(log, clock),
      stateFault: () => this.#stateFault,
      random: options.random ?? Math.random,
      stableMs: options.stableMs ?? usualStableMs,
      observations: new Map(),
      shortages: new Map(),
      usedReplicas: new Set(),
      lackingSince: new Map(),
      errorStreaks: new ErrorStreaks(clock),
      publish: () => traffic.publish(routingTable(context)),
      wake: (delayMs) => this.#reconciler.wake(delayMs),
    };
    this.#context = context;
    this.#stateExaminedAt = clock.now();
    this.#manager = new ReplicaManager(context);
    this.#scaler = new Scaler(context, this.#manager);
    this.#deployments = new Deployments(context, this.#manager);
    this.#commands = new AppCommands(context, this.#manager, this.#deployments);
    this.#runs = new EphemeralRuns(context, {
      manager: this.#manager,
      deployments: this.#deployments,
      commands: this.#commands,
    });
    this.#documents = new Documents(context, this.#scaler);
    this.#reconciler = new Reconciler({
      reconcileAll: () => this.#reconcileAll(),
      reconcileApp: (app) => this.#reconcileApp(app),
      log,
      intervalMs: options.intervalMs ?? 1000,
    });
  }

  /** Adopts running replicas of an earlier control plane and publishes the routing table. */
  async adopt(): Promise<void> {
    await this.#manager.adopt();
    this.#context.publish();
  }

  /** Starts the reconciliation loop; call once, after `adopt`. */
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

  /** Takes a request that is over. */
  noteAnswer(record: ExchangeRecord): void {
    this.#context.errorStreaks.note(record);
  }

  /** Stops all replicas and the loop; apps keep their desired state. */
  async stopReplicas(drainMs: number): Promise<void> {
    await this.#stopLoop();
    await this.#manager.stopAll(drainMs);
  }

  /** Stops the loop; replicas keep running for the next control plane. */
  async close(): Promise<void> {
    await this.#stopLoop();
    await this.#manager.close();
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

  /** Replaces replicas with new ones of the active revision. */
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

  /** Returns all replicas that have not ended. */
  livingReplicas(): ReplicaDocument[] {
    return this.#documents.living();
  }

  /** Reason why the state cannot be written, if any. */
  get stateFault(): string | undefined {
    return this.#stateFault;
  }

  stopReplica(replica: string, { replace }: { replace: boolean }): void {
    this.#commands.stopReplica(replica, replace);
  }

  killReplica(replica: string): void {
    this.#commands.killReplica(replica);
  }

  async #stopLoop(): Promise<void> {
    this.#stopListening();
    await this.#reconciler.close();
    await this.#deployments.close();
  }

  async #reconcileAll(): Promise<void> {
    const { store, clock, publish } = this.#context;
    try {
      await this.#manager.observe();
      for (const app of store.apps.list()) {
        if (app.desired !== "deleted") await this.#reconcileApp(appName(app));
      }
      await this.#commands.clearDeleted();
      store.replicas.prune(clock.wallMs() - dayMs);
    } finally {
      this.#examineState();
      // Some changes come with time alone, such as the end of a back-off.
      publish();
    }
  }

  /** Runs every minute, and after every error: it costs a write. */
  #examineState(): void {
    const { store, recurringErrors, log, clock } = this.#context;
    const isDue = clock.now() - this.#stateExaminedAt >= stateExaminedEveryMs;
    if (this.#stateFault === undefined && !recurringErrors.hasOpen && !isDue) return;
    this.#stateExaminedAt = clock.now();
    const fault = store.database.writeFault();
    if (fault === this.#stateFault) return;
    this.#stateFault = fault;
    log(fault ?? "The state can be written again.");
  }

  /** A failing app must not block the others. */
  async #reconcileApp(name: string): Promise<void> {
    const { store, recurringErrors } = this.#context;
    const [organisation = "", app = ""] = name.split("/");
    const record = store.apps.find({ organisation, app });
    if (record === undefined) return recurringErrors.resolve(name);
    try {
      await this.#scaler.evaluate(record);
      recurringErrors.resolve(name);
    } catch (error) {
      recurringErrors.report(name, error);
    }
  }
}
