// End of a rollout: the new revision becomes active and the old replicas drain; or it failed, and the
// active revision stays.
import { describeError, ProductError } from "../../base/product-error.ts";
import { type AppKey, appName, type RevisionKey } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { activeRevision, type ControlContext, candidateShortage } from "./control-context.ts";
import type { ReplicaManager } from "./replica-manager.ts";
import { setAside } from "./traffic-split.ts";

export interface Activation {
  context: ControlContext;
  manager: ReplicaManager;
  app: AppKey;
  revision: RevisionRecord;
  /** Replicas that serve from now on. */
  fresh: readonly ReplicaRecord[];
}

/**
 * Activates in one transaction, so that a crash leaves either the old or the new revision active.
 *
 * @returns the revision that was active, unless it is the same
 */
export function activateRevision({
  context,
  manager,
  app,
  revision,
  fresh,
}: Activation): string | undefined {
  const { store, clock } = context;
  const { activeRevision, traffic } = store.apps.get(app);
  const previous = activeRevision === revision.revision ? undefined : activeRevision;
  const isFresh = new Set(fresh.map(({ replica }) => replica));
  const old = store.replicas
    .livingOf(app)
    .filter(({ purpose, replica }) => purpose === "serving" && !isFresh.has(replica));
  store.database.transaction(() => {
    if (previous !== undefined && store.revisions.find({ ...app, revision: previous })) {
      store.revisions.update({ ...app, revision: previous }, { state: "SUPERSEDED" });
    }
    store.revisions.update(revision, {
      state: "ACTIVE",
      reason: undefined,
      failureCode: undefined,
      activatedAt: clock.wallMs(),
      failures: 0,
      notBefore: 0,
    });
    for (const { replica } of fresh) store.replicas.update(replica, { purpose: "serving" });
    if (traffic !== undefined && traffic.revision !== revision.revision) {
      setAside(context, app, traffic, `Replaced by ${revision.revision}.`);
    }
    store.apps.update(app, {
      activeRevision: revision.revision,
      rollout: undefined,
      traffic: undefined,
    });
    const place = previous === undefined ? "" : ` in place of ${previous}`;
    store.events.add({
      ...app,
      revision: revision.revision,
      kind: "activated",
      sentence: `${revision.revision} is active${place}.`,
    });
  });
  for (const { replica } of fresh) context.usedReplicas.add(replica);
  context.shortages.delete(appName(app));
  if (traffic !== undefined) context.shortages.delete(candidateShortage(app, traffic.revision));
  context.splitAnswers.forget(app);
  context.publish();
  for (const { replica } of old) manager.drain(replica);
  context.wake();
  return previous;
}

export interface FailedRevision extends RevisionKey {
  failure: unknown;
  /** True for a cancelled rollout, false for one that failed. */
  wasAborted: boolean;
}

/** Records a failed or cancelled rollout. Restarts the active revision if it had made room. */
export function failRevision(
  context: ControlContext,
  manager: ReplicaManager,
  { failure, wasAborted, ...key }: FailedRevision,
): void {
  const { store } = context;
  const app = store.apps.find(key);
  if (app === undefined) return;
  // Leaves the hint out, which is outdated when the reason is read later.
  const sentence = failure instanceof ProductError ? failure.message : describeError(failure);
  store.database.transaction(() => {
    store.apps.update(app, { rollout: undefined });
    const record = store.revisions.find(key);
    const isServing = [app.activeRevision, app.traffic?.revision].includes(key.revision);
    if (record !== undefined && !isServing) {
      const failed = wasAborted ? "ABORTED" : "FAILED";
      // A revision that has served before can be activated again.
      const state = record.activatedAt === undefined ? failed : "SUPERSEDED";
      const failureCode = failure instanceof ProductError ? failure.code : undefined;
      store.revisions.update(key, { state, reason: sentence, failureCode });
    }
    const isKept = app.activeRevision !== undefined && app.activeRevision !== key.revision;
    store.events.add({
      ...key,
      kind: isKept ? "rolled_back" : "failed",
      sentence: `${key.revision} was not activated: ${sentence.replace(/[.]?$/, ".")}${isKept ? ` ${app.activeRevision} stays active.` : ""}`,
    });
  });
  for (const { replica, purpose } of store.replicas.livingOf(key)) {
    if (purpose === "verifying") manager.drain(replica, 0);
  }
  const active = activeRevision(context, app);
  if (app.rollout?.isHolding && app.desired === "active" && active !== undefined) {
    manager.launch(active, "serving");
  }
  context.publish();
}
