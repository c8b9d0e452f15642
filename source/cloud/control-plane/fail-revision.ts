// End of a failed or cancelled rollout: the active revision stays, and is restarted if it had made
// room.
import { describeError, ProductError } from "../../base/product-error.ts";
import type { AppRecord, RevisionKey } from "../state/app-records.ts";
import type { ControlContext } from "./control-context.ts";
import type { ReplicaManager } from "./replica-manager.ts";

export interface FailedRevision extends RevisionKey {
  failure: unknown;
  /** True for a cancelled rollout, false for one that failed. */
  wasAborted: boolean;
}

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
    if (record !== undefined && app.activeRevision !== key.revision) {
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
  if (app.rollout?.isHolding) restart(context, manager, app);
  context.publish();
}

function restart({ store }: ControlContext, manager: ReplicaManager, app: AppRecord): void {
  if (app.activeRevision === undefined || app.desired !== "active") return;
  const active = store.revisions.find({ ...app, revision: app.activeRevision });
  if (active !== undefined) manager.launch(active, "serving");
}
