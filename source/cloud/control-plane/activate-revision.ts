// Activation of a revision: new requests go to it, and the old replicas drain.
import { type AppKey, appName } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import type { ControlContext } from "./control-context.ts";
import type { ReplicaManager } from "./replica-manager.ts";

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
  const { activeRevision } = store.apps.get(app);
  const previous = activeRevision === revision.revision ? undefined : activeRevision;
  const old = store.replicas.livingOf(app).filter(({ purpose }) => purpose === "serving");
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
    store.apps.update(app, { activeRevision: revision.revision, rollout: undefined });
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
  context.publish();
  for (const { replica } of old) manager.drain(replica);
  context.wake();
  return previous;
}
