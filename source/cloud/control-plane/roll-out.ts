// Rollout of a revision: build, start one replica, verify it, then switch.
//
// The old revision is untouched until the switch, unless the machine has room for one replica only.
// Every step can be repeated: a new control plane resumes from the recorded state.
import { describeError, ProductError } from "../../base/product-error.ts";
import type { DeployEvent, DeployPhase, DeployResult } from "../admin/documents.ts";
import type { ReplicaExit, RevisionPlan } from "../engines/engine.ts";
import { engineWarnings } from "../engines/engine-warnings.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, appName, type Rollout } from "../state/app-records.ts";
import { isRising, type ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { backOffMs, failuresUntilFailed, isLasting } from "./back-off.ts";
import { type ControlContext, effectiveScale } from "./control-context.ts";
import { activateRevision } from "./end-rollout.ts";
import { makeRoom, pauseOf } from "./make-room.ts";
import type { ReplicaManager } from "./replica-manager.ts";
import { exitOf } from "./replica-shutdowns.ts";
import { planOf, secretsOf, upstreamAuthorization } from "./revision-plan.ts";
import { noCapacity, type RolloutFailure, startFailure } from "./rollout-failure.ts";
import { askApi, askSmoke } from "./smoke-test.ts";
import { beginSplit, sharesOf } from "./traffic-split.ts";

/** Exit of a replica that was ready and ended before the switch. */
const vanished = exitOf("lost", "Its replica was stopped before it could take over.");
/** Minimum wait for further replicas; longer if the first one was slow. */
const othersWaitMs = 30_000;

export interface RolloutOptions {
  context: ControlContext;
  manager: ReplicaManager;
  app: AppKey;
  revision: string;
  report: (event: DeployEvent) => void;
  signal: AbortSignal;
}

export class RollOut {
  readonly #options: RolloutOptions;
  readonly #startedAt: number;
  readonly #warnings = new Map<string, string>();

  constructor(options: RolloutOptions) {
    this.#options = options;
    this.#startedAt = options.context.clock.now();
  }

  /**
   * Resolves when the revision is active.
   *
   * @throws ProductError, or the signal's reason when it is cancelled
   */
  async run(): Promise<DeployResult> {
    const { context } = this.#options;
    const revision = this.#revision();
    const plan = planOf(context.store, revision);
    const { canEverFit, reason } = await context.engine.capacity(plan);
    // Fails before the environment is built for a replica that can never run.
    if (!canEverFit) throw noCapacity(reason ?? "this machine lacks the resources it needs");
    await this.#build(revision, plan);
    if (this.#verifying(revision) === undefined) await this.#makeRoom(plan);
    const replica = await this.#start(revision);
    await this.#verify(replica);
    await this.#startOthers(replica, plan);
    return this.#finish(replica);
  }

  async #build(revision: RevisionRecord, plan: RevisionPlan): Promise<void> {
    const { context, report, signal } = this.#options;
    this.#phase("build", "Building the environment.");
    this.#setState(revision, "BUILDING");
    secretsOf(context.store, revision);
    await context.engine.prepare(plan, (text) => report({ kind: "log", text }), signal);
  }

  async #makeRoom(plan: RevisionPlan): Promise<void> {
    const { context, manager, app, signal } = this.#options;
    await makeRoom({
      ...{ context, manager, app, signal, plan },
      keepsOthers: this.#rollout().traffic !== undefined,
      tell: (sentence) => this.#phase("start", sentence),
      warn: (code, sentence) => this.#warn(code, sentence),
    });
  }

  /** Returns a ready replica of the revision, retrying where that may help. */
  async #start(revision: RevisionRecord): Promise<ReplicaRecord> {
    const { context, manager, signal } = this.#options;
    this.#setState(revision, "VERIFYING");
    for (let failures = 1; ; failures += 1) {
      const replica = this.#verifying(revision) ?? manager.launch(revision, "verifying");
      this.#phase("start", `Starting replica ${replica.replica}.`);
      const ended = await this.#untilStarted(replica);
      if (ended === undefined) return context.store.replicas.find(replica.replica) ?? replica;
      if (ended.reason === "no_capacity") throw noCapacity(ended.sentence, ended);
      if (failures >= failuresUntilFailed || isLasting(ended.reason))
        throw this.#startFailure(ended);
      const delayMs = backOffMs(failures, context.random());
      this.#warn("start_repeated", `${ended.sentence} Retrying.`);
      await manager.until(pauseOf(context, delayMs), signal);
    }
  }

  /** @returns the exit, if the replica ended before it was ready */
  async #untilStarted({ replica }: ReplicaRecord): Promise<ReplicaExit | undefined> {
    const { context, manager, signal } = this.#options;
    const stopLog = this.#followLog(replica);
    let progress: string | undefined;
    try {
      return await manager
        .until(() => {
          const record = context.store.replicas.find(replica);
          const seen = context.observations.get(replica)?.progress;
          if (seen !== undefined && seen !== progress) this.#phase("start", seen);
          progress = seen;
          if (record?.stage === "ready") return { exit: undefined };
          if (record === undefined || record.stage !== "ended") return undefined;
          return { exit: record.exit };
        }, signal)
        .then(({ exit }) => exit);
    } finally {
      stopLog();
    }
  }

  async #verify({ replica }: ReplicaRecord): Promise<void> {
    const { context, manager, signal } = this.#options;
    const observation = context.observations.get(replica);
    for (const code of observation?.warnings ?? []) this.#warn(code, engineWarnings[code]);
    if (observation?.endpoint === undefined) return;
    const { store } = context;
    const revision = this.#revision();
    const authorization = upstreamAuthorization(store, revision);
    const target = { endpoint: observation.endpoint, authorization, signal };
    const { smoke } = this.#rollout();
    if (smoke !== undefined) {
      this.#phase("verify", `Sending ${smoke} to replica ${replica}.`);
      const fault = await askSmoke(target, smoke);
      if (fault !== undefined) {
        manager.drain(replica, 0);
        throw new ProductError(cloudErrors.verificationFailed, {
          message: `The new revision failed its smoke test: it ${fault}.`,
          hint: "See its log. The revision that was active before stays active.",
        });
      }
    }
    const api = await askApi(target, revision);
    if (api !== undefined) store.revisions.update(revision, { api });
  }

  /**
   * Starts as many replicas as the old revision has ready, if there is room, so that its load does
   * not queue after the switch. Activation goes ahead even if some are not ready in time.
   */
  async #startOthers({ createdAt, readyAt }: ReplicaRecord, plan: RevisionPlan): Promise<void> {
    const { context, manager, signal } = this.#options;
    const revision = this.#revision();
    const missing = this.#wanted() - this.#allVerifying(revision).length;
    if (missing > 0) {
      const { replicas } = await context.engine.capacity(plan);
      const count = Math.min(missing, replicas);
      for (let ordered = 0; ordered < count; ordered += 1) manager.launch(revision, "verifying");
    }
    const isStarting = () => this.#allVerifying(revision).some(({ stage }) => stage !== "ready");
    if (!isStarting()) return;
    this.#phase("start", "Starting as many replicas as the old revision has.");
    const firstMs = (readyAt ?? createdAt) - createdAt;
    const limit = AbortSignal.timeout(Math.max(othersWaitMs, 3 * firstMs));
    try {
      await manager.until(() => !isStarting() || undefined, AbortSignal.any([signal, limit]));
    } catch (error) {
      if (signal.aborted || !limit.aborted) throw error;
    }
  }

  /** Returns how many replicas take over the traffic, or a share of it, from those that are ready. */
  #wanted(): number {
    const { context, app } = this.#options;
    const { store } = context;
    const record = store.apps.get(app);
    if (record.desired !== "active") return 0;
    const ready = store.replicas
      .livingOf(app)
      .filter(({ purpose, stage }) => purpose === "serving" && stage === "ready");
    const [percent = 100] = this.#rollout().traffic?.percents ?? [];
    const { maxConcurrency } = effectiveScale(record, this.#revision());
    return Math.ceil((Math.min(ready.length, maxConcurrency) * percent) / 100);
  }

  /** Switches to the revision, or gives it its share of the traffic. */
  #finish({ replica, createdAt }: ReplicaRecord): DeployResult {
    const { context, manager, app } = this.#options;
    const revision = this.#revision();
    const fresh = this.#allVerifying(revision);
    const verified = context.store.replicas.find(replica);
    // A revision that gets traffic is known to work.
    const isProven = this.#isCandidate(revision) && fresh.some(({ stage }) => stage === "ready");
    if (verified?.stage !== "ready" && !isProven)
      throw this.#startFailure(verified?.exit ?? vanished);
    const { traffic: plan } = this.#rollout();
    const { activeRevision } = context.store.apps.get(app);
    let previous = activeRevision;
    if (plan === undefined) {
      previous = activateRevision({ context, manager, app, revision, fresh });
      this.#phase("activate", `${revision.revision} is active.`);
    } else {
      beginSplit({ context, app, candidate: revision, plan, fresh });
      this.#phase("activate", `${revision.revision} gets ${plan.percents[0]} % of the traffic.`);
    }
    const readyAt = verified?.readyAt;
    return {
      app: appName(app),
      revision: revision.revision,
      status: plan === undefined ? "active" : "split",
      traffic: sharesOf(context.store.apps.get(app)),
      url: `${context.baseUrl()}/${appName(app)}`,
      auth: revision.config.auth,
      api: revision.api,
      cold_start_ms: readyAt === undefined ? undefined : readyAt - createdAt,
      previous,
      warnings: [...this.#warnings.values()],
    };
  }

  #revision(): RevisionRecord {
    const { context, app, revision } = this.#options;
    return context.store.revisions.get({ ...app, revision });
  }

  #rollout(): Rollout {
    const { context, app } = this.#options;
    const { rollout } = context.store.apps.get(app);
    if (rollout === undefined) throw new Error(`${appName(app)} is not being rolled out`);
    return rollout;
  }

  /** Returns a replica that an earlier control plane or attempt started for this rollout. */
  #verifying(revision: RevisionRecord): ReplicaRecord | undefined {
    return this.#allVerifying(revision)[0];
  }

  /** Includes replicas that serve already, if the revision is promoted. */
  #allVerifying(revision: RevisionRecord): ReplicaRecord[] {
    const { store } = this.#options.context;
    const isCandidate = this.#isCandidate(revision);
    return store.replicas
      .livingOf(revision)
      .filter((each) => each.purpose === "verifying" || isCandidate)
      .filter((each) => each.revision === revision.revision)
      .filter(isRising);
  }

  #isCandidate({ revision }: RevisionRecord): boolean {
    const { context, app } = this.#options;
    return context.store.apps.get(app).traffic?.revision === revision;
  }

  /** A revision that gets traffic keeps its state. */
  #setState(revision: RevisionRecord, state: "BUILDING" | "VERIFYING"): void {
    const { store } = this.#options.context;
    if (store.apps.get(revision).activeRevision === revision.revision) return;
    if (this.#isCandidate(revision)) return;
    store.revisions.update(revision, { state, reason: undefined, failureCode: undefined });
  }

  #startFailure(exit: ReplicaExit): RolloutFailure {
    const { context, app, revision } = this.#options;
    const { activeRevision, isEphemeral } = context.store.apps.get(app);
    // The client of an ephemeral app has its log already, and the app is removed now.
    if (isEphemeral) return startFailure(exit, undefined);
    const rest = `Run \`deployctl logs ${appName(app)} --rev ${revision}\` for its log.`;
    const isKept = activeRevision !== undefined && activeRevision !== revision;
    return startFailure(exit, isKept ? `Revision ${activeRevision} stays active. ${rest}` : rest);
  }

  #phase(phase: DeployPhase, sentence: string): void {
    const elapsedMs = Math.round(this.#options.context.clock.now() - this.#startedAt);
    this.#options.report({ kind: "phase", phase, sentence, elapsedMs });
  }

  #warn(code: string, sentence: string): void {
    this.#warnings.set(code, sentence);
    this.#options.report({ kind: "warning", code, sentence });
  }

  /** Reports the replica's output while it starts. */
  #followLog(replica: string): () => void {
    const { context, app, revision, report } = this.#options;
    const reading = new AbortController();
    const follow = async () => {
      const query = { ...app, revision, replica, follow: true, signal: reading.signal };
      for await (const line of context.engine.logs(query)) {
        if (reading.signal.aborted) return;
        report({ kind: "log", text: line.text });
      }
    };
    follow().catch((error: unknown) => {
      if (!reading.signal.aborted)
        context.log(`cannot read the log of ${replica}: ${describeError(error)}`);
    });
    return () => reading.abort();
  }
}
