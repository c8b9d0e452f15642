// Documents of apps, revisions and replicas for the admin API, built from stored records.
import type {
  AppDetails,
  AppDocument,
  ReplicaDocument,
  RevisionDocument,
  SharingRevision,
  TrafficDocument,
} from "../admin/documents.ts";
import type { ScaleSettings } from "../app-config.ts";
import { floorOf } from "../autoscaler/decide.ts";
import { answerCounts } from "../metrics/usage-figures.ts";
import { type AppKey, type AppRecord, appName } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import {
  activeRevision,
  type ControlContext,
  candidateRevision,
  candidateShortage,
  effectiveScale,
  shortageOf,
} from "./control-context.ts";
import type { Scaler } from "./scaler.ts";
import { appState, isReady, replicaState } from "./states.ts";
import { wholePlan } from "./traffic-commands.ts";

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

  /** Returns all apps that are not deleted. */
  apps(): AppDocument[] {
    const apps = this.#context.store.apps.list().filter(({ desired }) => desired !== "deleted");
    return apps.map((app) => this.#app(app));
  }

  /** @throws ProductError `CLOUD_APP_UNKNOWN` */
  app(key: AppKey): AppDetails {
    const app = this.#context.store.apps.get(key);
    const active = activeRevision(this.#context, app);
    const { rollout } = app;
    return {
      ...this.#app(app),
      revision: active && this.#revision(active),
      rollout: rollout && {
        revision: rollout.revision,
        strategy: rollout.strategy,
        since: rollout.since,
      },
    };
  }

  /** @throws ProductError `CLOUD_APP_UNKNOWN` */
  revisions(key: AppKey): RevisionDocument[] {
    const { store } = this.#context;
    return store.revisions.list(store.apps.get(key)).map((record) => this.#revision(record));
  }

  /**
   * Returns replicas, including ended ones, oldest first.
   *
   * @param key undefined: of all apps
   * @throws ProductError `CLOUD_APP_UNKNOWN`
   */
  replicas(key?: AppKey): ReplicaDocument[] {
    const { store } = this.#context;
    const of = key && store.apps.get(key);
    return store.replicas
      .list()
      .filter(
        ({ organisation, app }) =>
          of === undefined || (organisation === of.organisation && app === of.app),
      )
      .map((record) => this.#replica(record));
  }

  /** Returns replicas that have not ended. */
  livingReplicas(of?: AppKey): ReplicaDocument[] {
    const { replicas } = this.#context.store;
    const records = of === undefined ? replicas.living() : replicas.livingOf(of);
    return records
      .map((record) => this.#replica(record))
      .filter(({ state }) => state !== "TERMINATED");
  }

  #app(app: AppRecord): AppDocument {
    const { store, traffic, clock, baseUrl, lackingSince } = this.#context;
    const newest = store.revisions.list(app)[0];
    const active = activeRevision(this.#context, app);
    const shown = active ?? newest;
    const living = this.livingReplicas(app);
    const current = living.filter(({ revision }) => revision === active?.revision);
    const candidate = candidateRevision(this.#context, app);
    const sharing = [active, candidate].flatMap((each) => each?.revision ?? []);
    const wanted = active === undefined ? 0 : this.#scaler.wanted(app, active).want;
    const wantedBeside = candidate === undefined ? 0 : this.#scaler.wanted(app, candidate).want;
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
      errors: this.#context.errorStreaks.reasonOf(app, sharing),
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
      api: shown?.api ?? { kind: "http" },
      scale: shown === undefined ? noScale : effectiveScale(app, shown),
      // Only fields of the scale are stored as overrides.
      overrides: Object.keys(app.overrides) as (keyof ScaleSettings)[],
      isEphemeral: app.isEphemeral,
      traffic: active && candidate && this.#traffic(app, [active, candidate], living),
      replicas: {
        wanted: wanted + wantedBeside,
        alive: living.length,
        ready: living.filter(({ state }) => isReady(state)).length,
      },
      inFlight: busy,
      queued,
      createdAt: app.createdAt,
      updatedAt: app.updatedAt,
    };
  }

  #traffic(
    app: AppRecord,
    [active, candidate]: [RevisionRecord, RevisionRecord],
    living: readonly ReplicaDocument[],
  ): TrafficDocument | undefined {
    const { traffic } = app;
    if (traffic === undefined) return undefined;
    const { splitAnswers, shortages } = this.#context;
    const shared = ({ revision, failures, reason }: RevisionRecord): SharingRevision => {
      const own = living.filter((replica) => replica.revision === revision);
      const ready = own.filter(({ state }) => isReady(state)).length;
      const isCandidate = revision === traffic.revision;
      const shortage = isCandidate
        ? shortages.get(candidateShortage(app, revision))
        : shortageOf(this.#context, app);
      return {
        revision,
        percent: isCandidate ? traffic.percent : 100 - traffic.percent,
        replicas: { alive: own.length, ready },
        inFlight: own.reduce((sum, { inFlight }) => sum + inFlight, 0),
        ...answerCounts(splitAnswers.of(app, revision)),
        reason: shortage?.capacity.reason ?? (failures > 0 && ready === 0 ? reason : undefined),
      };
    };
    const { plan, since } = traffic;
    return {
      since,
      revisions: [shared(active), shared(candidate)],
      steps: plan && wholePlan(plan),
    };
  }

  #replica(record: ReplicaRecord): ReplicaDocument {
    const { store, traffic, clock, observations } = this.#context;
    const { organisation, app, revision, replica } = record;
    const observation = observations.get(replica);
    const inFlight = traffic.inFlight(replica);
    const startMs = record.readyAt === undefined ? undefined : record.readyAt - record.createdAt;
    const woken = this.#scaler.wokenOf(replica);
    const state = replicaState({
      ...{ record, observation, inFlight },
      now: clock.wallMs(),
      notBefore: store.revisions.find(record)?.notBefore ?? 0,
      isShort: shortageOf(this.#context, record) !== undefined,
    });
    return {
      ...{ organisation, app, revision, replica, state, inFlight },
      endpoint: observation?.endpoint,
      processId: observation?.processId,
      node: observation?.node,
      progress: observation?.progress,
      gpus: observation?.gpus ?? [],
      startedAt: record.createdAt,
      readyAt: record.readyAt,
      expiresAt: state === "IDLE" || state === "ASLEEP" ? this.#expiresAt(record) : undefined,
      exit: record.exit ?? observation?.exit,
      coldStartMs: woken?.ms ?? startMs,
      coldStartPhasesMs: woken === undefined ? observation?.startPhasesMs : { woke: woken.ms },
    };
  }

  /** @returns undefined for a replica that the app's minimum keeps */
  #expiresAt(record: ReplicaRecord): number | undefined {
    const { store } = this.#context;
    const app = store.apps.find(record);
    const revision = store.revisions.find(record);
    if (app === undefined || revision === undefined) return undefined;
    const scale = this.#scaler.scaleOf(app, revision);
    const own = store.replicas.livingOf(record).filter((each) => each.revision === record.revision);
    if (own.length <= floorOf(scale)) return undefined;
    return this.#scaler.keptUntil(record, scale);
  }

  #revision(record: RevisionRecord): RevisionDocument {
    const { organisation, app, revision, state, reason, config, bundle, message } = record;
    const { annotations, createdBy, createdAt, isPinned } = record;
    return {
      ...{ organisation, app, revision, state, reason, config, bundle, message },
      ...{ annotations, createdBy, createdAt, isPinned },
      secrets: this.#context.store.secrets.frozenNames(record),
    };
  }
}
