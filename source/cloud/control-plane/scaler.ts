// Brings the number of an app's replicas to what the autoscaler decides.
import { decide, type ScaleDecision, type ScaledReplica } from "../autoscaler/decide.ts";
import type { Demand } from "../gateway/traffic.ts";
import { type AppRecord, appName } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { backOffLeftMs } from "./back-off.ts";
import { activeRevision, type ControlContext, effectiveScale } from "./control-context.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";
import { idleSince } from "./replica-view.ts";
import { planOf } from "./revision-plan.ts";

/** Without room for so long, it is told of. */
const shortageToldAfterMs = 30_000;

export class Scaler {
  readonly #context: ControlContext;
  readonly #keeper: ReplicaKeeper;
  /** When this control plane began; milliseconds since 1970. */
  readonly #beganAt: number;

  constructor(context: ControlContext, keeper: ReplicaKeeper) {
    this.#context = context;
    this.#keeper = keeper;
    this.#beganAt = context.clock.wallMs();
  }

  /** Starts and drains what is to be. Repeated with nothing changed it does nothing. */
  async evaluate(app: AppRecord): Promise<void> {
    const { store } = this.#context;
    const active = activeRevision(this.#context, app);
    const isWanted = app.desired === "active" && !app.rollout?.isHolding;
    for (const record of store.replicas.livingOf(app)) {
      const isCurrent = isWanted && record.revision === active?.revision;
      if (record.purpose === "serving" && !isCurrent) this.#keeper.drain(record.replica);
      if (record.purpose === "verifying" && app.rollout?.revision !== record.revision) {
        this.#keeper.drain(record.replica);
      }
    }
    if (isWanted && active !== undefined) await this.#scale(app, active);
    else this.#context.shortages.delete(appName(app));
  }

  /** What the autoscaler wants of an app at this moment. */
  wanted(app: AppRecord, active: RevisionRecord): ScaleDecision {
    return decide(this.#situation(app, active, undefined));
  }

  idleSince(record: ReplicaRecord): number {
    return idleSince({
      record,
      lastUsedAt: this.#context.traffic.lastUsedAt(record.replica),
      adoptedAt: this.#context.usedReplicas.has(record.replica) ? this.#beganAt : 0,
    });
  }

  async #scale(app: AppRecord, active: RevisionRecord): Promise<void> {
    const decision = this.wanted(app, active);
    this.#noteLack(app, decision.want);
    // What is run once ends with its replica.
    if (decision.start > 0 && !app.isEphemeral) await this.#grow(app, active);
    else this.#endShortage(app);
    for (const replica of decision.drain) {
      this.#context.store.events.add({
        ...app,
        revision: active.revision,
        replica,
        kind: "scaled",
        sentence: `Replica ${replica} is not needed any more (${decision.because}).`,
      });
      this.#keeper.drain(replica);
    }
    this.#wakeForQueue(app, active);
  }

  async #grow(app: AppRecord, active: RevisionRecord): Promise<void> {
    const { store, engine, clock, wake } = this.#context;
    const waitMs = backOffLeftMs(active.notBefore, clock.wallMs());
    if (waitMs > 0) return wake(waitMs);
    const capacity = await engine.capacity(planOf(store, active));
    // Much may have changed while the engine was asked.
    const current = store.apps.find(app);
    if (current?.activeRevision !== active.revision || current.desired !== "active") return;
    if (current.rollout?.isHolding) return;
    const room = this.#serving(current, active).length + capacity.replicas;
    const decision = decide(this.#situation(current, active, room));
    if (!capacity.fits) return this.#noteShortage(current, active, capacity);
    this.#endShortage(current);
    if (decision.start === 0) return;
    store.events.add({
      ...current,
      revision: active.revision,
      kind: "scaled",
      sentence: `${decision.start} more of ${decision.want} wanted replicas (${decision.because}).`,
    });
    for (let count = 0; count < decision.start; count += 1) this.#keeper.order(active, "serving");
  }

  #situation(app: AppRecord, active: RevisionRecord, capacity: number | undefined) {
    const { clock, traffic, usedReplicas } = this.#context;
    const replicas = this.#serving(app, active).map((record): ScaledReplica => {
      const lastUsedAt = traffic.lastUsedAt(record.replica);
      return {
        replica: record.replica,
        isReady: record.stage === "ready",
        inFlight: traffic.inFlight(record.replica),
        idleSince: this.idleSince(record),
        wasUsed: lastUsedAt !== undefined || usedReplicas.has(record.replica),
      };
    });
    return {
      now: clock.wallMs(),
      scale: effectiveScale(app, active),
      demand: this.#demand(app, active),
      replicas,
      capacity,
    };
  }

  /** What replicas of an earlier revision answer to the end asks for none of this one. */
  #demand(app: AppRecord, active: RevisionRecord): Demand {
    const { traffic, store } = this.#context;
    const demand = traffic.demand(app.organisation, app.app);
    const others = store.replicas.livingOf(app).filter((it) => it.revision !== active.revision);
    const elsewhere = others.reduce((sum, { replica }) => sum + traffic.inFlight(replica), 0);
    return { ...demand, busy: Math.max(0, demand.busy - elsewhere) };
  }

  /** Those that count: they take requests, or will. */
  #serving(app: AppRecord, active: RevisionRecord): ReplicaRecord[] {
    return this.#context.store.replicas
      .livingOf(app)
      .filter(
        ({ revision, purpose, stage }) =>
          revision === active.revision &&
          purpose === "serving" &&
          (stage === "ordered" || stage === "started" || stage === "ready"),
      );
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
    const isDue = !capacity.canEverFit || now - since >= shortageToldAfterMs;
    const isTold = known?.isTold ?? false;
    shortages.set(appName(app), { since, capacity, isTold: isDue });
    if (isDue && !isTold) {
      store.events.add({
        ...app,
        revision: active.revision,
        kind: "unschedulable",
        sentence: capacity.reason ?? "No further replica fits.",
      });
    }
    publish();
  }

  #endShortage(app: AppRecord): void {
    if (this.#context.shortages.delete(appName(app))) this.#context.publish();
  }

  /** A request that waits for the scaling delay makes nobody look again by itself. */
  #wakeForQueue(app: AppRecord, active: RevisionRecord): void {
    const { scalingDelayMs } = effectiveScale(app, active);
    const { queued, oldestQueuedMs } = this.#context.traffic.demand(app.organisation, app.app);
    if (queued > 0 && oldestQueuedMs < scalingDelayMs) {
      this.#context.wake(scalingDelayMs - oldestQueuedMs);
    }
  }
}
