// Control plane: the desired state of apps, and the loop that reaches it.
import { type Clock, systemClock } from "../../base/clock.ts";
import type { DeployEvent, PromoteRequest } from "../admin/documents.ts";
import type { Engine } from "../engines/engine.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type { Traffic } from "../gateway/traffic.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import type { CloudStore } from "../state/cloud-store.ts";
import { AppCommands } from "./app-commands.ts";
import { Documents } from "./app-documents.ts";
import { stableMs as usualStableMs } from "./back-off.ts";
import type { ControlContext } from "./control-context.ts";
import { Deployments } from "./deployments.ts";
import { EphemeralRuns } from "./ephemeral-runs.ts";
import { ErrorStreaks } from "./error-streaks.ts";
import { promote } from "./promotions.ts";
import { publishedRoutes } from "./published-routes.ts";
import { Reconciler } from "./reconciler.ts";
import { RecurringErrors } from "./recurring-errors.ts";
import { ReplicaManager } from "./replica-manager.ts";
import { RunningRollouts } from "./running-rollouts.ts";
import { Scaler } from "./scaler.ts";
import { SplitAnswers } from "./split-answers.ts";
import { TrafficCommands } from "./traffic-commands.ts";
import { TrafficSteps } from "./traffic-steps.ts";

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

export class ControlPlane {
  readonly deployments: Deployments;
  readonly runs: EphemeralRuns;
  readonly commands: AppCommands;
  readonly traffic: TrafficCommands;
  readonly documents: Documents;
  readonly #context: ControlContext;
  readonly #manager: ReplicaManager;
  readonly #scaler: Scaler;
  readonly #steps: TrafficSteps;
  readonly #rollouts: RunningRollouts;
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
      splitAnswers: new SplitAnswers(store, log),
      publish: () => traffic.publish(publishedRoutes(context)),
      wake: (delayMs) => this.#reconciler.wake(delayMs),
    };
    this.#context = context;
    this.#stateExaminedAt = clock.now();
    this.#manager = new ReplicaManager(context);
    this.#scaler = new Scaler(context, this.#manager);
    this.#rollouts = new RunningRollouts(context, this.#manager);
    this.documents = new Documents(context, this.#scaler);
    this.traffic = new TrafficCommands(context, this.#manager, this.#rollouts);
    this.#steps = new TrafficSteps(context, this.traffic);
    this.deployments = new Deployments(context, {
      rollouts: this.#rollouts,
      traffic: this.traffic,
      documents: this.documents,
    });
    this.commands = new AppCommands(context, this.#manager, this.#rollouts);
    this.runs = new EphemeralRuns(context, {
      manager: this.#manager,
      rollouts: this.#rollouts,
      deployments: this.deployments,
      commands: this.commands,
    });
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
    await this.runs.endAll();
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
    this.#rollouts.resume();
  }

  /** Deploys an app's active revision to another environment. @throws ProductError as `promote` */
  async promote(
    key: AppKey,
    request: PromoteRequest,
    createdBy: string | undefined,
  ): Promise<AsyncIterable<DeployEvent>> {
    return await promote(this.#context, this.deployments, key, request, createdBy);
  }

  /** Counts a finished request towards the app's errors in a row, and those of a split. */
  noteAnswer(record: ExchangeRecord): void {
    this.#context.errorStreaks.note(record);
    this.#context.splitAnswers.note(record);
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

  /** Reason why the state cannot be written, if any. */
  get stateFault(): string | undefined {
    return this.#stateFault;
  }

  async #stopLoop(): Promise<void> {
    this.#stopListening();
    this.#context.splitAnswers.write();
    await this.#reconciler.close();
    await this.#rollouts.close();
  }

  async #reconcileAll(): Promise<void> {
    const { store, clock, publish } = this.#context;
    try {
      await this.#manager.observe();
      for (const app of store.apps.list()) {
        if (app.desired !== "deleted") await this.#reconcileApp(appName(app));
      }
      await this.commands.clearDeleted();
      this.#context.splitAnswers.writeWhenDue();
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
      await this.#steps.evaluate(record);
      await this.#scaler.evaluate(store.apps.find(record) ?? record);
      recurringErrors.resolve(name);
    } catch (error) {
      recurringErrors.report(name, error);
    }
  }
}
