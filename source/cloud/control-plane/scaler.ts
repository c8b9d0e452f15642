// Scaling of apps to the number of replicas that the autoscaler decides.
import { type ScaleSettings, stopAfterMsOf } from "../app-config.ts";
import { decide, keptUntil, type ScaleDecision, type ScaledReplica } from "../autoscaler/decide.ts";
import type { Demand, Waiting } from "../gateway/traffic.ts";
import { type AppRecord, appName } from "../state/app-records.ts";
import { isRising, type ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { backOffLeftMs } from "./back-off.ts";
import {
  type ControlContext,
  candidateShortage,
  servingRevisions,
  sharedScale,
} from "./control-context.ts";
import type { ReplicaManager } from "./replica-manager.ts";
import { planOf } from "./revision-plan.ts";

/** Time without room after which an event reports it. */
const shortageReportedAfterMs = 30_000;

export class Scaler {
  readonly #context: ControlContext;
  readonly #manager: ReplicaManager;

  constructor(context: ControlContext, manager: ReplicaManager) {
    this.#context = context;
    this.#manager = manager;
  }

  /** Starts and drains replicas as needed; idempotent. */
  async evaluate(app: AppRecord): Promise<void> {
    const { store } = this.#context;
    const isWanted = app.desired === "active" && !app.rollout?.isHolding;
    const serving = isWanted ? servingRevisions(this.#context, app) : [];
    const names = new Set(serving.map(({ revision }) => revision));
    for (const record of store.replicas.livingOf(app)) {
      const isCurrent = names.has(record.revision);
      if (record.purpose === "serving" && !isCurrent) this.#manager.drain(record.replica);
      if (record.purpose === "verifying" && app.rollout?.revision !== record.revision) {
        this.#manager.drain(record.replica);
      }
    }
    for (const revision of serving) await this.#scale(app, revision);
    if (serving.length === 0) this.#context.shortages.delete(appName(app));
  }

  /** Returns the autoscaler's current decision for a revision that gets traffic. */
  wanted(app: AppRecord, revision: RevisionRecord): ScaleDecision {
    return decide(this.#situation(app, revision, undefined));
  }

  /** Returns the time until which a replica without requests is kept, as far as it is known. */
  keptUntil(record: ReplicaRecord, scale: ScaleSettings): number | undefined {
    const { reportingSince } = this.#context.traffic;
    const isAsleep = record.stage === "asleep";
    const idle = isAsleep ? { ...scale, keepAliveMs: stopAfterMsOf(scale) } : scale;
    const scaled = this.#scaled(record);
    const wasUsed = isAsleep || scaled.wasUsed;
    return keptUntil({ ...scaled, wasUsed }, { scale: idle, reportingSince });
  }

  /** Returns the last waking of a replica, if any. */
  wokenOf(replica: string): { at: number; ms: number } | undefined {
    return this.#manager.sleep.wokenOf(replica);
  }

  /** Returns the scale of an app. Where its servers can sleep, they do so after `sleepAfterMs`. */
  scaleOf(app: AppRecord, revision: RevisionRecord): ScaleSettings {
    const scale = sharedScale(app, revision);
    const { sleepAfterMs } = scale;
    if (sleepAfterMs === undefined || !this.#manager.sleep.canSleep(revision)) return scale;
    return { ...scale, keepAliveMs: sleepAfterMs };
  }

  async #scale(app: AppRecord, revision: RevisionRecord): Promise<void> {
    this.#wakeSleepers(app, revision);
    const decision = this.wanted(app, revision);
    if (revision.revision === app.activeRevision) this.#noteLack(app, decision.want);
    // An ephemeral app ends with its replica.
    if (decision.start > 0 && !app.isEphemeral) await this.#grow(app, revision);
    else this.#endShortage(app, revision);
    const { sleepAfterMs } = sharedScale(app, revision);
    const sleeps = sleepAfterMs !== undefined && this.#manager.sleep.canSleep(revision);
    for (const replica of decision.drain) {
      const record = sleeps ? this.#context.store.replicas.find(replica) : undefined;
      if (record?.stage === "ready") {
        this.#manager.sleep.sleep(record);
        continue;
      }
      this.#context.store.events.add({
        ...app,
        revision: revision.revision,
        replica,
        kind: "scaled",
        sentence: `Replica ${replica} is no longer needed (${decision.because}).`,
      });
      this.#manager.drain(replica);
    }
    this.#endSleepers(app, revision);
    this.#wakeForQueue(app, revision);
  }

  /** Wakes sleeping replicas, before others are started. */
  #wakeSleepers(app: AppRecord, revision: RevisionRecord): void {
    const sleepers = this.#sleepers(app, revision);
    if (sleepers.length === 0) return;
    const { start } = this.wanted(app, revision);
    for (const record of sleepers.slice(0, start)) this.#manager.sleep.wake(record);
  }

  #endSleepers(app: AppRecord, revision: RevisionRecord): void {
    const { clock, store } = this.#context;
    const scale = sharedScale(app, revision);
    for (const record of this.#sleepers(app, revision)) {
      const until = this.keptUntil(record, scale);
      if (until === undefined || clock.wallMs() < until) continue;
      const { replica } = record;
      store.events.add({
        ...app,
        revision: revision.revision,
        replica,
        kind: "scaled",
        sentence: `Replica ${replica} has slept long enough.`,
      });
      this.#manager.drain(replica);
    }
  }

  #sleepers(app: AppRecord, revision: RevisionRecord): ReplicaRecord[] {
    return this.#context.store.replicas
      .livingOf(app)
      .filter((each) => each.revision === revision.revision && each.stage === "asleep");
  }

  async #grow(app: AppRecord, revision: RevisionRecord): Promise<void> {
    const { store, engine, clock, wake } = this.#context;
    const waitMs = backOffLeftMs(revision.notBefore, clock.wallMs());
    if (waitMs > 0) return wake(waitMs);
    const capacity = await engine.capacity(planOf(store, revision));
    // State may have changed while the engine was asked.
    const current = store.apps.find(app);
    if (current === undefined || current.desired !== "active") return;
    if (shortageName(current, revision) === undefined || current.rollout?.isHolding) return;
    const count = this.#serving(current, revision).length;
    const room = count + capacity.replicas;
    const decision = decide(this.#situation(current, revision, room));
    if (!capacity.fits) return this.#noteShortage(current, revision, capacity);
    this.#endShortage(current, revision);
    if (decision.start === 0) return;
    const total = count + decision.start;
    store.events.add({
      ...current,
      revision: revision.revision,
      kind: "scaled",
      sentence: `Scaling from ${count} to ${total} ${total === 1 ? "replica" : "replicas"}: ${decision.because}.`,
    });
    for (let started = 0; started < decision.start; started += 1) {
      this.#manager.launch(revision, "serving");
    }
  }

  #situation(app: AppRecord, revision: RevisionRecord, capacity: number | undefined) {
    const { clock, traffic } = this.#context;
    return {
      now: clock.wallMs(),
      scale: this.scaleOf(app, revision),
      demand: this.#demand(app, revision),
      replicas: this.#serving(app, revision).map((record) => this.#scaled(record)),
      capacity,
      reportingSince: traffic.reportingSince,
    };
  }

  #scaled({ replica, stage, readyAt, createdAt }: ReplicaRecord): ScaledReplica {
    const { traffic, usedReplicas } = this.#context;
    const lastUsedAt = traffic.lastUsedAt(replica);
    return {
      replica,
      isReady: stage === "ready",
      inFlight: traffic.inFlight(replica),
      idleSince: Math.max(
        lastUsedAt ?? 0,
        readyAt ?? createdAt,
        this.#manager.sleep.wokenOf(replica)?.at ?? 0,
      ),
      wasUsed: lastUsedAt !== undefined || usedReplicas.has(replica),
    };
  }

  /** Leaves out requests that replicas of another revision are still serving. */
  #demand(app: AppRecord, revision: RevisionRecord): Demand {
    const { traffic, store } = this.#context;
    const demand = traffic.demand(app.organisation, app.app);
    const others = store.replicas.livingOf(app).filter((it) => it.revision !== revision.revision);
    const elsewhere = others.reduce((sum, { replica }) => sum + traffic.inFlight(replica), 0);
    const isCandidate = revision.revision === app.traffic?.revision;
    const waiting = isCandidate ? (demand.ofCandidate ?? noneWaiting) : demand.ofActive;
    return { ...demand, ...waiting, busy: Math.max(0, demand.busy - elsewhere) };
  }

  /** Returns replicas that take requests now or will soon. */
  #serving(app: AppRecord, revision: RevisionRecord): ReplicaRecord[] {
    return this.#context.store.replicas
      .livingOf(app)
      .filter((each) => each.revision === revision.revision && each.purpose === "serving")
      .filter(isRising);
  }

  #noteLack(app: AppRecord, want: number): void {
    const { lackingSince, clock, store } = this.#context;
    const ready = store.replicas
      .livingOf(app)
      .filter(({ stage, revision }) => stage === "ready" && revision === app.activeRevision);
    if (ready.length >= want) lackingSince.delete(appName(app));
    else if (!lackingSince.has(appName(app))) lackingSince.set(appName(app), clock.wallMs());
  }

  #noteShortage(
    app: AppRecord,
    revision: RevisionRecord,
    capacity: Awaited<ReturnType<ControlContext["engine"]["capacity"]>>,
  ): void {
    const { shortages, clock, store, publish } = this.#context;
    const now = clock.wallMs();
    const name = shortageName(app, revision);
    if (name === undefined) return;
    const known = shortages.get(name);
    const since = known?.since ?? now;
    const isDue = !capacity.canEverFit || now - since >= shortageReportedAfterMs;
    const wasReported = known?.isReported ?? false;
    shortages.set(name, { since, capacity, isReported: isDue });
    if (isDue && !wasReported) {
      store.events.add({
        ...app,
        revision: revision.revision,
        kind: "unschedulable",
        sentence: capacity.reason ?? "Not enough room for another replica.",
      });
    }
    publish();
  }

  #endShortage(app: AppRecord, revision: RevisionRecord): void {
    const name = shortageName(app, revision);
    if (name !== undefined && this.#context.shortages.delete(name)) this.#context.publish();
  }

  /** Triggers a pass at the end of the scaling delay, as a waiting request triggers none by itself. */
  #wakeForQueue(app: AppRecord, revision: RevisionRecord): void {
    const { scalingDelayMs } = sharedScale(app, revision);
    const { queued, oldestQueuedMs } = this.#demand(app, revision);
    if (queued > 0 && oldestQueuedMs < scalingDelayMs) {
      this.#context.wake(scalingDelayMs - oldestQueuedMs);
    }
  }
}

const noneWaiting: Waiting = { queued: 0, oldestQueuedMs: 0 };

/** Returns the name of a revision's shortage; undefined for a revision that gets no traffic. */
function shortageName(app: AppRecord, { revision }: RevisionRecord): string | undefined {
  if (revision === app.activeRevision) return appName(app);
  return revision === app.traffic?.revision ? candidateShortage(app, revision) : undefined;
}
