// Documents of the admin API, built from stored records.
import type {
  AppDetails,
  AppDocument,
  ReplicaDocument,
  RevisionDocument,
} from "../admin/documents.ts";
import type { ScaleSettings } from "../app-config.ts";
import { floorOf } from "../autoscaler/decide.ts";
import { type AppRecord, appName } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { appState } from "./app-view.ts";
import {
  activeRevision,
  type ControlContext,
  effectiveScale,
  shortageOf,
} from "./control-context.ts";
import { replicaDocument } from "./replica-view.ts";
import type { Scaler } from "./scaler.ts";

/** Scale of an app without a verified revision. */
const noScale: ScaleSettings = {
  minConcurrency: 0,
  maxConcurrency: 0,
  concurrencyBuffer: 0,
  concurrencyBufferPerc: 0,
  maxMultiplexing: 1,
  targetUtilization: 1,
  scalingDelayMs: 0,
  keepAliveMs: 0,
  maxStarting: 0,
};

export class Documents {
  readonly #context: ControlContext;
  readonly #scaler: Scaler;

  constructor(context: ControlContext, scaler: Scaler) {
    this.#context = context;
    this.#scaler = scaler;
  }

  app(app: AppRecord): AppDocument {
    const { store, traffic, clock, baseUrl, lackingSince } = this.#context;
    const newest = store.revisions.list(app)[0];
    const active = activeRevision(this.#context, app);
    const shown = active ?? newest;
    const living = this.living(app);
    const current = living.filter(({ revision }) => revision === active?.revision);
    const wanted = active === undefined ? 0 : this.#scaler.wanted(app, active).want;
    const now = clock.wallMs();
    const lacking = lackingSince.get(appName(app));
    const { state, reason } = appState({
      app,
      active,
      lastFailure: newest && { code: newest.failureCode, sentence: newest.reason },
      replicas: current.map((replica) => replica.state),
      wanted,
      shortage: shortageOf(this.#context, app)?.capacity.reason,
      stateFault: this.#context.stateFault(),
      errors: active && this.#context.errorStreaks.reasonOf(app, active.revision),
      lackingMs: lacking === undefined ? 0 : now - lacking,
      now,
    });
    const { busy, queued } = traffic.demand(app.organisation, app.app);
    return {
      organisation: app.organisation,
      app: app.app,
      url: `${baseUrl()}/${appName(app)}`,
      auth: shown?.config.auth ?? "private",
      state,
      reason,
      activeRevision: app.activeRevision,
      scale: shown === undefined ? noScale : effectiveScale(app, shown),
      // Only fields of the scale are stored as overrides.
      overrides: Object.keys(app.overrides) as (keyof ScaleSettings)[],
      isEphemeral: app.isEphemeral,
      replicas: { wanted, alive: living.length, ready: living.filter(isReady).length },
      inFlight: busy,
      queued,
      createdAt: app.createdAt,
      updatedAt: app.updatedAt,
    };
  }

  details(app: AppRecord): AppDetails {
    const active = activeRevision(this.#context, app);
    const { rollout } = app;
    return {
      ...this.app(app),
      revision: active === undefined ? undefined : this.revision(active),
      rollout:
        rollout === undefined
          ? undefined
          : { revision: rollout.revision, strategy: rollout.strategy, since: rollout.since },
    };
  }

  revision(record: RevisionRecord): RevisionDocument {
    const { organisation, app, revision, state, reason, config, message, annotations } = record;
    const { createdBy, createdAt, isPinned } = record;
    return {
      ...{ organisation, app, revision, state, reason, config, message, annotations },
      ...{ createdBy, createdAt, isPinned },
    };
  }

  /** Returns all replicas, including ended ones, oldest first. */
  replicas(of?: AppRecord): ReplicaDocument[] {
    return this.#context.store.replicas
      .list()
      .filter(
        ({ organisation, app }) =>
          of === undefined || (organisation === of.organisation && app === of.app),
      )
      .map((record) => this.#replica(record));
  }

  /** Returns replicas that have not ended. */
  living(of?: AppRecord): ReplicaDocument[] {
    const { replicas } = this.#context.store;
    const records = of === undefined ? replicas.living() : replicas.livingOf(of);
    return records
      .map((record) => this.#replica(record))
      .filter(({ state }) => state !== "TERMINATED");
  }

  #replica(record: ReplicaRecord): ReplicaDocument {
    const { store, traffic, clock, observations, usedReplicas } = this.#context;
    const revision = store.revisions.find(record);
    const app = store.apps.find(record);
    const scale =
      app === undefined || revision === undefined ? undefined : effectiveScale(app, revision);
    // Replicas that the minimum keeps never expire.
    const isSpare = scale !== undefined && store.replicas.livingOf(record).length > floorOf(scale);
    return replicaDocument({
      record,
      observation: observations.get(record.replica),
      inFlight: traffic.inFlight(record.replica),
      now: clock.wallMs(),
      notBefore: revision?.notBefore ?? 0,
      isShort: shortageOf(this.#context, record) !== undefined,
      idleSince: this.#scaler.idleSince(record),
      wasUsed: usedReplicas.has(record.replica) || traffic.lastUsedAt(record.replica) !== undefined,
      scale: isSpare ? scale : undefined,
    });
  }
}

function isReady({ state }: ReplicaDocument): boolean {
  return state === "IDLE" || state === "RUNNING";
}
