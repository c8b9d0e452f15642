// What is asked of an app besides deploying: scale, pause, resume, delete, pin, stop a replica.
import { ProductError } from "../../base/product-error.ts";
import type { ScaleSettings } from "../app-config.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, type AppRecord, appName, type RevisionKey } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { activeRevision, type ControlContext } from "./control-context.ts";
import type { Deployments } from "./deployments.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";
import { retire } from "./retire-revisions.ts";

const dayMs = 86_400_000;

export class AppCommands {
  readonly #context: ControlContext;
  readonly #keeper: ReplicaKeeper;
  readonly #deployments: Deployments;

  constructor(context: ControlContext, keeper: ReplicaKeeper, deployments: Deployments) {
    this.#context = context;
    this.#keeper = keeper;
    this.#deployments = deployments;
  }

  /** @param change undefined: back to what the revision says */
  scale(key: AppKey, change: Partial<ScaleSettings> | undefined): void {
    const { store } = this.#context;
    const app = store.apps.get(key);
    const overrides = change === undefined ? {} : { ...app.overrides, ...change };
    const active = activeRevision(this.#context, app);
    checkScale({ ...active?.config.scale, ...overrides });
    store.apps.update(key, { overrides });
    const fields = Object.entries(change ?? {}).map(([name, value]) => `${name} ${value}`);
    this.#tell(app, "scale_set", change === undefined ? "its own scale again" : fields.join(", "));
  }

  pause(key: AppKey): void {
    const app = this.#context.store.apps.get(key);
    if (app.desired === "deleting") throw leaving(app);
    this.#context.store.apps.update(key, { desired: "paused" });
    this.#tell(app, "paused", "no request is taken, its replicas end");
  }

  resume(key: AppKey): void {
    const app = this.#context.store.apps.get(key);
    if (app.desired === "deleting") throw leaving(app);
    this.#context.store.apps.update(key, { desired: "active" });
    const active = activeRevision(this.#context, app);
    // Whoever resumes wants it tried again at once.
    if (active !== undefined) {
      this.#context.store.revisions.update(active, { failures: 0, notBefore: 0 });
    }
    this.#tell(app, "resumed", "it takes requests");
  }

  /** Requests that run are answered; then everything of it goes but its name, for a day. */
  async delete(key: AppKey): Promise<void> {
    const app = this.#context.store.apps.get(key);
    await this.#deployments.abort(key, "its app was deleted");
    this.#context.store.apps.update(key, { desired: "deleting", rollout: undefined });
    this.#tell(app, "deleting", "its last requests are answered");
  }

  /** Finishes what `delete` began, and forgets tombstones that are a day old. */
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

  pin(revision: RevisionRecord, isPinned: boolean): void {
    this.#context.store.revisions.update(revision, { isPinned });
  }

  /** @throws ProductError `CLOUD_CONFLICT` for one that is in use */
  async deleteRevision(revision: RevisionRecord): Promise<void> {
    const { store } = this.#context;
    const app = store.apps.get(revision);
    const isActive = app.activeRevision === revision.revision;
    const isInUse = store.replicas
      .livingOf(revision)
      .some((each) => each.revision === revision.revision);
    if (isActive || isInUse || app.rollout?.revision === revision.revision) {
      throw new ProductError(cloudErrors.conflict, {
        message: `Revision ${revision.revision} is ${isActive ? "active" : "in use"} and is not deleted.`,
        hint: "Activate another one first, with deployctl apps set-rev.",
      });
    }
    if (revision.state !== "RETIRED") await retire(this.#context, revision);
    store.revisions.remove(revision);
    store.bundles.prune(store.revisions.bundles());
  }

  /** The revision that was active before the active one was, by number. */
  previousRevision(key: AppKey): RevisionRecord {
    const { store } = this.#context;
    const app = store.apps.get(key);
    const active = activeRevision(this.#context, app);
    const earlier = store.revisions
      .list(key)
      .find(
        ({ number, activatedAt, state }) =>
          active !== undefined &&
          number < active.number &&
          activatedAt !== undefined &&
          state !== "RETIRED",
      );
    if (earlier !== undefined) return earlier;
    throw new ProductError(cloudErrors.revisionUnknown, {
      message: `The app ${appName(key)} has no earlier revision that was active.`,
      hint: `deployctl apps list-rev ${key.app} shows those it has.`,
    });
  }

  /** @param replace another one is started whether or not the demand asks for it */
  stopReplica(replica: string, replace: boolean): void {
    const record = this.#living(replica);
    const { store } = this.#context;
    const app = store.apps.get(record);
    const active = activeRevision(this.#context, app);
    if (replace && active !== undefined && app.desired === "active") {
      this.#keeper.order(active, "serving");
    }
    this.#keeper.drain(replica);
  }

  killReplica(replica: string): void {
    this.#keeper.kill(this.#living(replica).replica);
  }

  #living(replica: string): ReplicaRecord {
    const record = this.#context.store.replicas.find(replica);
    if (record !== undefined && record.stage !== "ended") return record;
    throw new ProductError(cloudErrors.replicaUnknown, {
      message: `There is no replica ${replica}${record === undefined ? "" : " any more"}.`,
      hint: "deployctl runners list shows those there are.",
    });
  }

  async #clear(app: AppRecord): Promise<void> {
    const { store, clock, shortages, lackingSince } = this.#context;
    for (const revision of store.revisions.list(app)) {
      if (revision.state !== "RETIRED") await retire(this.#context, revision);
    }
    store.database.transaction(() => {
      store.secrets.forget({ organisation: app.organisation, app: app.app });
      // What was run once leaves nothing behind.
      if (app.isEphemeral) store.apps.remove(app);
      else store.apps.update(app, { desired: "deleted", deletedAt: clock.wallMs(), overrides: {} });
    });
    shortages.delete(appName(app));
    lackingSince.delete(appName(app));
    store.bundles.prune(store.revisions.bundles());
    this.#tell(app, "deleted", "its replicas, files and secrets are gone");
  }

  #tell(app: AppKey & Partial<RevisionKey>, kind: string, sentence: string): void {
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
  if (floor <= maxConcurrency) return;
  throw new ProductError(cloudErrors.requestInvalid, {
    message: `At most ${maxConcurrency} replicas are allowed, but ${floor} are to be kept.`,
    hint: "Raise the maximum, or lower the minimum and the buffer.",
    param: "maxConcurrency",
  });
}

function leaving(app: AppRecord): ProductError {
  return new ProductError(cloudErrors.conflict, {
    message: `The app ${appName(app)} is being deleted.`,
  });
}
