// Commands on apps besides deploying: scale, pause, resume, delete, pin, stop a replica. Commands on
// an unknown app, revision or replica throw a ProductError.
import { ProductError } from "../../base/product-error.ts";
import { type ScaleSettings, sleepFault } from "../app-config.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, type AppRecord, appName, type RevisionKey } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { activeRevision, type ControlContext, servingRevisions } from "./control-context.ts";
import type { ReplicaManager } from "./replica-manager.ts";
import { retire } from "./retire-revisions.ts";
import type { RunningRollouts } from "./running-rollouts.ts";

const dayMs = 86_400_000;

export class AppCommands {
  readonly #context: ControlContext;
  readonly #manager: ReplicaManager;
  readonly #rollouts: RunningRollouts;

  constructor(context: ControlContext, manager: ReplicaManager, rollouts: RunningRollouts) {
    this.#context = context;
    this.#manager = manager;
    this.#rollouts = rollouts;
  }

  /** @param change undefined resets to the revision's scale */
  scale(key: AppKey, change: Partial<ScaleSettings> | undefined): void {
    const { store } = this.#context;
    const app = store.apps.get(key);
    const overrides = change === undefined ? {} : { ...app.overrides, ...change };
    const active = activeRevision(this.#context, app);
    checkScale({ ...active?.config.scale, ...overrides });
    store.apps.update(key, { overrides });
    const fields = Object.entries(change ?? {}).map(([name, value]) => `${name} ${value}`);
    this.#addEvent(app, "scale_set", change === undefined ? "scale reset" : fields.join(", "));
  }

  pause(key: AppKey): void {
    const app = this.#kept(key);
    this.#context.store.apps.update(key, { desired: "paused" });
    this.#addEvent(app, "paused", "paused, its replicas are stopping");
  }

  resume(key: AppKey): void {
    const app = this.#kept(key);
    this.#context.store.apps.update(key, { desired: "active" });
    // Resuming retries at once, without the remaining back-off.
    for (const revision of servingRevisions(this.#context, app)) {
      this.#context.store.revisions.update(revision, { failures: 0, notBefore: 0 });
    }
    this.#addEvent(app, "resumed", "resumed");
  }

  /**
   * Lets running requests finish, then removes everything but the app's name, which is kept for a
   * day.
   */
  async delete(key: AppKey): Promise<void> {
    const app = this.#context.store.apps.get(key);
    await this.#rollouts.abort(key, "its app was deleted");
    this.#context.store.apps.update(key, {
      desired: "deleting",
      rollout: undefined,
      traffic: undefined,
    });
    this.#context.splitAnswers.forget(key);
    this.#addEvent(app, "deleting", "deleting, running requests finish first");
  }

  /** Finishes deletions, and removes tombstones that are a day old. */
  async clearDeleted(): Promise<void> {
    const { store, clock } = this.#context;
    for (const app of store.apps.list()) {
      if (app.desired === "deleting" && store.replicas.livingOf(app).length === 0) {
        await this.#clear(app);
      } else if (app.desired === "deleted" && clock.wallMs() - (app.deletedAt ?? 0) >= dayMs) {
        store.apps.remove(app);
        this.#context.publish();
      }
    }
  }

  /** @param revision as `RevisionRecords.get` takes it */
  pinRevision(key: AppKey, revision: string, isPinned: boolean): void {
    this.#context.store.revisions.update(this.#revision(key, revision), { isPinned });
  }

  /**
   * @param name as `RevisionRecords.get` takes it
   * @throws ProductError `CLOUD_CONFLICT` for a revision in use
   */
  async deleteRevision(key: AppKey, name: string): Promise<void> {
    const { store } = this.#context;
    const revision = this.#revision(key, name);
    const app = store.apps.get(revision);
    const isActive = app.activeRevision === revision.revision;
    const isCandidate = app.traffic?.revision === revision.revision;
    const isInUse = store.replicas
      .livingOf(revision)
      .some((each) => each.revision === revision.revision);
    if (isActive || isInUse || isCandidate || app.rollout?.revision === revision.revision) {
      throw new ProductError(cloudErrors.conflict, {
        message: `Cannot delete revision ${revision.revision}: it is ${isActive ? "active" : "in use"}.`,
        hint: "Activate another revision first with `deployctl apps set-rev`.",
      });
    }
    if (revision.state !== "RETIRED") await retire(this.#context, revision);
    store.revisions.remove(revision);
    store.bundles.prune(store.revisions.bundles());
  }

  /** @param replace starts a replacement even if demand does not require it */
  stopReplica(replica: string, { replace }: { replace: boolean }): void {
    const record = this.#living(replica);
    const { store } = this.#context;
    const app = store.apps.get(record);
    const serving = servingRevisions(this.#context, app);
    const own = serving.find(({ revision }) => revision === record.revision) ?? serving[0];
    if (replace && own !== undefined && app.desired === "active") {
      this.#manager.launch(own, "serving");
    }
    this.#manager.drain(replica);
  }

  killReplica(replica: string): void {
    this.#manager.kill(this.#living(replica).replica);
  }

  /** @throws ProductError `CLOUD_CONFLICT` for an app that is being deleted */
  #kept(key: AppKey): AppRecord {
    const app = this.#context.store.apps.get(key);
    if (app.desired !== "deleting") return app;
    const message = `App ${appName(app)} is being deleted.`;
    throw new ProductError(cloudErrors.conflict, { message });
  }

  #revision(key: AppKey, revision: string): RevisionRecord {
    const { store } = this.#context;
    return store.revisions.get({ ...store.apps.get(key), revision });
  }

  #living(replica: string): ReplicaRecord {
    const record = this.#context.store.replicas.find(replica);
    if (record !== undefined && record.stage !== "ended") return record;
    throw new ProductError(cloudErrors.replicaUnknown, {
      message: `Replica ${replica} ${record === undefined ? "does not exist" : "has already ended"}.`,
      hint: "Run `deployctl runners list` to see all replicas.",
    });
  }

  async #clear(app: AppRecord): Promise<void> {
    const { store, clock, shortages, lackingSince } = this.#context;
    for (const revision of store.revisions.list(app)) {
      if (revision.state !== "RETIRED") await retire(this.#context, revision);
    }
    store.database.transaction(() => {
      store.secrets.forget({ organisation: app.organisation, app: app.app });
      // Ephemeral apps leave nothing behind.
      if (app.isEphemeral) store.apps.remove(app);
      else store.apps.update(app, { desired: "deleted", deletedAt: clock.wallMs(), overrides: {} });
    });
    shortages.delete(appName(app));
    lackingSince.delete(appName(app));
    this.#context.errorStreaks.delete(app);
    store.bundles.prune(store.revisions.bundles());
    this.#addEvent(app, "deleted", "deleted, with its replicas, files and secrets");
  }

  #addEvent(app: AppKey & Partial<RevisionKey>, kind: string, sentence: string): void {
    const { organisation } = app;
    this.#context.store.events.add({
      organisation,
      app: app.app,
      kind,
      sentence: `${appName(app)}: ${sentence}.`,
    });
    this.#context.publish();
    this.#context.wake();
  }
}

function checkScale(scale: Partial<ScaleSettings>): void {
  const { minConcurrency = 0, maxConcurrency = 1, concurrencyBuffer = 0 } = scale;
  const floor = Math.max(minConcurrency, concurrencyBuffer);
  const fault = sleepFault(scale);
  if (fault !== undefined) {
    throw new ProductError(cloudErrors.requestInvalid, {
      message: `stop_after ${fault}.`,
      hint: "Raise --stop-after, or lower --sleep-after.",
      param: "stopAfterMs",
    });
  }
  if (floor <= maxConcurrency) return;
  throw new ProductError(cloudErrors.requestInvalid, {
    message: `Cannot keep ${floor} replicas running: the maximum is ${maxConcurrency}.`,
    hint: "Raise the maximum, or lower the minimum or the buffer.",
    param: "maxConcurrency",
  });
}
