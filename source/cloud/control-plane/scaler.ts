// Scaling of apps to the number of replicas that the autoscaler decides.
import type { ScaleSettings } from "../app-config.ts";
import { decide, keptUntil, type ScaleDecision, type ScaledReplica } from "../autoscaler/decide.ts";
import type { Demand } from "../gateway/traffic.ts";
import { type AppRecord, appName } from "../state/app-records.ts";
import { isRising, type ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { backOffLeftMs } from "./back-off.ts";
import { activeRevision, type ControlContext, effectiveScale } from "./control-context.ts";
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
    const active = activeRevision(this.#context, app);
    const isWanted = app.desired === "active" && !app.rollout?.isHolding;
    for (const record of store.replicas.livingOf(app)) {
      const isCurrent = isWanted && record.revision === active?.revision;
      if (record.purpose === "serving" && !isCurrent) this.#manager.drain(record.replica);
      if (record.purpose === "verifying" && app.rollout?.revision !== record.revision) {
        this.#manager.drain(record.replica);
      }
    }
    if (isWanted && active !== undefined) await this.#scale(app, active);
    else this.#context.shortages.delete(appName(app));
  }

  /** Returns the autoscaler's current decision. */
  wanted(app: AppRecord, active: RevisionRecord): ScaleDecision {
    return decide(this.#situation(app, active, undefined));
  }

  /** Returns the time until which a replica without requests is kept, as far as it is known. */
  keptUntil(record: ReplicaRecord, scale: ScaleSettings): number | undefined {
    const { reportingSince } = this.#context.traffic;
    return keptUntil(this.#scaled(record), { scale, reportingSince });
  }

  async #scale(app: AppRecord, active: RevisionRecord): Promise<void> {
    const decision = this.wanted(app, active);
    this.#noteLack(app, decision.want);
    // An ephemeral app ends with its replica.
    if (decision.start > 0 && !app.isEphemeral) await this.#grow(app, active);
    else this.#endShortage(app);
    for (const replica of decision.drain) {
      this.#context.store.events.add({
        ...app,
        revision: active.revision,
        replica,
        kind: "scaled",
        sentence: `Replica ${replica} is no longer needed (${decision.because}).`,
      });
      this.#manager.drain(replica);
    }
    this.#wakeForQueue(app, active);
  }

  async #grow(app: AppRecord, active: RevisionRecord): Promise<void> {
    const { store, engine, clock, wake } = this.#context;
    const waitMs = backOffLeftMs(active.notBefore, clock.wallMs());
    if (waitMs > 0) return wake(waitMs);
    const capacity = await engine.capacity(planOf(store, active));
    // State may have changed while the engine was asked.
    const current = store.apps.find(app);
    if (current?.activeRevision !== active.revision || current.desired !== "active") return;
    if (current.rollout?.isHolding) return;
    const count = this.#serving(current, active).length;
    const room = count + capacity.replicas;
    const decision = decide(this.#situation(current, active, room));
    if (!capacity.fits) return this.#noteShortage(current, active, capacity);
    this.#endShortage(current);
    if (decision.start === 0) return;
    const total = count + decision.start;
    store.events.add({
      ...current,
      revision: active.revision,
      kind: "scaled",
      sentence: `Scaling from ${count} to ${total} ${total === 1 ? "replica" : "replicas"}: ${decision.because}.`,
    });
    for (let started = 0; started < decision.start; started += 1) {
      this.#manager.launch(active, "serving");
    }
  }

  #situation(app: AppRecord, active: RevisionRecord, capacity: number | undefined) {
    const { clock, traffic } = this.#context;
    return {
      now: clock.wallMs(),
      scale: effectiveScale(app, active),
      demand: this.#demand(app, active),
      replicas: this.#serving(app, active).map((record) => this.#scaled(record)),
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
      idleSince: Math.max(lastUsedAt ?? 0, readyAt ?? createdAt),
      wasUsed: lastUsedAt !== undefined || usedReplicas.has(replica),
    };
  }

  /** Leaves out requests that replicas of an earlier revision are still serving. */
  #demand(app: AppRecord, active: RevisionRecord): Demand {
    const { traffic, store } = this.#context;
    const demand = traffic.demand(app.organisation, app.app);
    const others = store.replicas.livingOf(app).filter((it) => it.revision !== active.revision);
    const elsewhere = others.reduce((sum, { replica }) => sum + traffic.inFlight(replica), 0);
    return { ...demand, busy: Math.max(0, demand.busy - elsewhere) };
  }

  /** Returns replicas that take requests now or will soon. */
  #serving(app: AppRecord, active: RevisionRecord): ReplicaRecord[] {
    return this.#context.store.replicas
      .livingOf(app)
      .filter((each) => each.revision === active.revision && each.purpose === "serving")
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
    active: RevisionRecord,
    capacity: Awaited<ReturnType<ControlContext["engine"]["capacity"]>>,
  ): void {
    const { shortages, clock, store, publish } = this.#context;
    const now = clock.wallMs();
    const known = shortages.get(appName(app));
    const since = known?.since ?? now;
    const isDue = !capacity.canEverFit || now - since >= shortageReportedAfterMs;
    const wasReported = known?.isReported ?? false;
    shortages.set(appName(app), { since, capacity, isReported: isDue });
    if (isDue && !wasReported) {
      store.events.add({
        ...app,
        revision: active.revision,
        kind: "unschedulable",
        sentence: capacity.reason ?? "Not enough room for another replica.",
      });
    }
    publish();
  }

  #endShortage(app: AppRecord): void {
    if (this.#context.shortages.delete(appName(app))) this.#context.publish();
  }

  /** A request waiting for the scaling delay triggers no pass by itself. */
  #wakeForQueue(app: AppRecord, active: RevisionRecord): void {
    const { scalingDelayMs } = effectiveScale(app, active);
    const { queued, oldestQueuedMs } = this.#context.traffic.demand(app.organisation, app.app);
    if (queued > 0 && oldestQueuedMs < scalingDelayMs) {
      this.#context.wake(scalingDelayMs - oldestQueuedMs);
    }
  }
}
