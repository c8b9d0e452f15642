// Deployments: accepted one at a time for each app.
import { ProductError } from "../../base/product-error.ts";
import type {
  DeployEvent,
  DeploymentRequest,
  DeployResult,
  RolloutRequest,
} from "../admin/documents.ts";
import { suggestName } from "../app-name.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, type AppRecord, appName } from "../state/app-records.ts";
import { readBundle } from "../state/bundle-store.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import type { VariableChanges } from "../variable-changes.ts";
import type { Documents } from "./app-documents.ts";
import { activeRevision, type ControlContext } from "./control-context.ts";
import { DeployFeed } from "./feeds.ts";
import { withKeptSecrets } from "./kept-secrets.ts";
import { type Acceptance, checkDeployment, RevisionIntake } from "./revision-intake.ts";
import type { RunningRollouts } from "./running-rollouts.ts";
import { refuseUnsplittable, splitAlready, type TrafficCommands } from "./traffic-commands.ts";

export class Deployments {
  readonly #context: ControlContext;
  readonly #rollouts: RunningRollouts;
  readonly #traffic: TrafficCommands;
  readonly #documents: Documents;
  readonly #intake: RevisionIntake;

  constructor(
    context: ControlContext,
    parts: { rollouts: RunningRollouts; traffic: TrafficCommands; documents: Documents },
  ) {
    this.#context = context;
    this.#rollouts = parts.rollouts;
    this.#traffic = parts.traffic;
    this.#documents = parts.documents;
    this.#intake = new RevisionIntake(context.store, context.clock);
  }

  /**
   * Deploys a permanent app. The request names each variable of earlier deployments that is kept,
   * changed or removed.
   *
   * @throws ProductError as `accept`; `CLOUD_CONFLICT` for a request that does not name all
   */
  async deploy(
    request: DeploymentRequest,
    { organisation, createdBy }: { organisation: string; createdBy: string | undefined },
  ): Promise<AsyncIterable<DeployEvent>> {
    const { script } = request.bundle;
    const key = { organisation, app: request.name ?? suggestName(script.split("/").at(-1) ?? "") };
    const { whole, changes } = withKeptSecrets(this.#context, key, request);
    const feed = await this.accept(whole, { key, isEphemeral: false, createdBy });
    const events = request.isDetached ? this.#untilBuilt(key, feed) : feed.read();
    return withVariables(events, changes);
  }

  /**
   * Creates a revision and starts its rollout. An unchanged active revision is not deployed again;
   * a running deployment of the same content is followed.
   *
   * @throws ProductError when nothing was started: an invalid name, invalid files, a conflict
   */
  async accept(request: DeploymentRequest, acceptance: Acceptance): Promise<DeployFeed> {
    const { key, isEphemeral } = acceptance;
    checkDeployment(request, key);
    const { store } = this.#context;
    // An app may be older than the rule for its name.
    if (store.apps.find(key) === undefined) store.environments.checkApp(key);
    this.#refuseMixing(key, isEphemeral);
    const bundle = readBundle(request.bundle);
    const contentHash = this.#intake.hash(request, key, bundle.hash);
    const running = this.#rollouts.find(key);
    if (running?.contentHash === contentHash) return running.feed;
    this.#refuseSplit(key, request);
    const mayBeSame = !request.isForced && running === undefined;
    const same = mayBeSame ? this.#intake.unchanged(key, contentHash) : undefined;
    if (same !== undefined) {
      if (request.resetsScale) store.apps.update(key, { overrides: {} });
      return this.#noChange(same);
    }
    // Another deployment may start while one is being cancelled.
    while (request.isForced && this.#rollouts.find(key) !== undefined) {
      await this.#rollouts.abort(key, "replaced by a newer one");
    }
    // No await from here until the rollout starts, so that no other deployment gets in between.
    this.#rollouts.refuseBusy(key);
    this.#refuseMixing(key, isEphemeral);
    this.#refuseSplit(key, request);
    store.bundles.keep(bundle);
    const content = { bundle: bundle.hash, contentHash };
    const revision = this.#intake.record(request, acceptance, content);
    return this.#rollouts.begin(revision);
  }

  /**
   * Activates an existing revision, newer or older. While traffic is split, the candidate is promoted,
   * and the active or the previous revision ends the split.
   *
   * @param revision as `RevisionRecords.get` takes it, or `previous`
   * @throws ProductError `CLOUD_CONFLICT`, `CLOUD_REVISION_UNKNOWN`
   */
  activate(
    key: AppKey,
    { revision, isDetached, ...how }: RolloutRequest,
  ): AsyncIterable<DeployEvent> {
    const { store } = this.#context;
    const app = store.apps.get(key);
    if (app.traffic !== undefined) return this.#endSplit(app, revision);
    const record =
      revision === "previous" ? this.#previous(app) : store.revisions.get({ ...key, revision });
    const isCurrent = app.activeRevision === record.revision && app.rollout === undefined;
    const feed = isCurrent ? this.#noChange(record) : this.#rollouts.rollOut(record, how);
    return isDetached ? this.#untilBuilt(key, feed) : feed.read();
  }

  /**
   * Replaces an app's replicas with new ones of its active revision.
   *
   * @throws ProductError `CLOUD_CONFLICT`, `CLOUD_REVISION_UNKNOWN`
   */
  replaceReplicas(key: AppKey): AsyncIterable<DeployEvent> {
    const { store } = this.#context;
    const app = store.apps.get(key);
    const { activeRevision: revision = "none" } = app;
    if (app.traffic !== undefined) throw splitAlready(app);
    return this.#rollouts.rollOut(store.revisions.get({ ...key, revision }), {}).read();
  }

  /** Returns the revision that was active before the active one, by number. */
  #previous(app: AppRecord): RevisionRecord {
    const { store } = this.#context;
    const active = activeRevision(this.#context, app);
    const earlier = store.revisions
      .list(app)
      .find(
        ({ number, activatedAt, state }) =>
          active !== undefined &&
          number < active.number &&
          activatedAt !== undefined &&
          state !== "RETIRED",
      );
    if (earlier !== undefined) return earlier;
    throw new ProductError(cloudErrors.revisionUnknown, {
      message: `App ${appName(app)} has no earlier revision that was active.`,
      hint: `Run \`deployctl apps list-rev ${app.app}\` to see its revisions.`,
    });
  }

  #endSplit(app: AppRecord, name: string): AsyncIterable<DeployEvent> {
    const active = activeRevision(this.#context, app);
    const candidate = app.traffic?.revision;
    const isRollback = name === "previous";
    const wanted = isRollback
      ? active
      : this.#context.store.revisions.get({ ...app, revision: name });
    if (wanted?.revision === candidate) return this.#traffic.promote(app).read();
    if (active === undefined || wanted?.revision !== active.revision) throw splitAlready(app);
    const abort = async function* (this: Deployments): AsyncGenerator<DeployEvent> {
      await this.#traffic.abort(app);
      const result = { ...this.#unchanged(active), status: "active" as const, previous: candidate };
      yield { kind: "done", result };
    };
    return abort.call(this);
  }

  /** @throws ProductError `CLOUD_CONFLICT` for a deployment that would end or need a split */
  #refuseSplit(key: AppKey, { isForced, traffic, strategy }: DeploymentRequest): void {
    const app = this.#context.store.apps.find(key);
    if (app?.traffic !== undefined && app.desired !== "deleted" && isForced !== true) {
      throw splitAlready(app, ", or replace the split with --force");
    }
    if (traffic === undefined) return;
    refuseUnsplittable(app);
    if (strategy !== "recreate") return;
    throw new ProductError(cloudErrors.requestInvalid, {
      message: "A traffic split needs both revisions, and recreate stops the old one first.",
      hint: "Use --traffic without --strategy recreate.",
    });
  }

  #refuseMixing(key: AppKey, isEphemeral: boolean): void {
    const app = this.#context.store.apps.find(key);
    if (app === undefined || app.desired === "deleted") return;
    if (app.desired === "deleting") {
      throw new ProductError(cloudErrors.conflict, {
        message: `App ${appName(key)} is still being deleted.`,
        hint: "Deploy again once `deployctl apps list` no longer shows it.",
      });
    }
    if (!isEphemeral && !app.isEphemeral) return;
    throw new ProductError(cloudErrors.conflict, {
      message: `The name ${appName(key)} is taken by ${app.isEphemeral ? "a running ephemeral app" : "a deployed app"}.`,
      hint: "Choose another name with --app-name.",
    });
  }

  #noChange(revision: RevisionRecord): DeployFeed {
    const feed = new DeployFeed();
    feed.add({ kind: "done", result: this.#unchanged(revision) });
    feed.end();
    return feed;
  }

  #unchanged(revision: RevisionRecord): DeployResult {
    const { store, baseUrl } = this.#context;
    const name = appName(revision);
    const isPaused = store.apps.get(revision).desired === "paused";
    return {
      app: name,
      revision: revision.revision,
      status: "no_change",
      url: `${baseUrl()}/${name}`,
      auth: revision.config.auth,
      api: revision.api,
      cold_start_ms: undefined,
      previous: undefined,
      warnings: isPaused ? [`${name} is paused; start it with \`deployctl apps resume\`.`] : [],
    };
  }

  /** Ends a detached deployment's events after its build. */
  async *#untilBuilt(key: AppKey, feed: DeployFeed): AsyncGenerator<DeployEvent> {
    for await (const event of feed.read()) {
      if (event.kind !== "phase" || event.phase !== "start") {
        yield event;
        continue;
      }
      const app = this.#documents.app(key);
      const result: DeployResult = {
        app: appName(key),
        revision: app.rollout?.revision ?? app.activeRevision ?? "",
        status: "rolling_out",
        url: app.url,
        auth: app.auth,
        api: app.api,
        cold_start_ms: undefined,
        previous: app.activeRevision,
        warnings: [],
      };
      yield { kind: "done", result };
      return;
    }
  }
}

/** Adds the changes of variables to a deployment's result. */
async function* withVariables(
  events: AsyncIterable<DeployEvent>,
  variables: VariableChanges,
): AsyncGenerator<DeployEvent> {
  for await (const event of events) {
    yield event.kind === "done" ? { ...event, result: { ...event.result, variables } } : event;
  }
}
