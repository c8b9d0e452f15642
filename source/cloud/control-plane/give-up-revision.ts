// A rollout that failed or was given up: what was active stays so; where it had to make room it is
// started again.
import { describeError, ProductError } from "../../base/product-error.ts";
import type { AppRecord, RevisionKey } from "../state/app-records.ts";
import type { ControlContext } from "./control-context.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";

export interface GivenUp extends RevisionKey {
  failure: unknown;
  /** By somebody, not for a failure of its own. */
  wasAborted: boolean;
}

export function giveUpRevision(
  context: ControlContext,
  keeper: ReplicaKeeper,
  { failure, wasAborted, ...key }: GivenUp,
): void {
  const { store } = context;
  const app = store.apps.find(key);
  if (app === undefined) return;
  // Without what to do about it now: that will be wrong when this is read later.
  const sentence = failure instanceof ProductError ? failure.message : describeError(failure);
  store.database.transaction(() => {
    store.apps.update(app, { rollout: undefined });
    const record = store.revisions.find(key);
    if (record !== undefined && app.activeRevision !== key.revision) {
      const failed = wasAborted ? "ABORTED" : "FAILED";
      // One that had served and does not come up again may still be asked for once more.
      const state = record.activatedAt === undefined ? failed : "SUPERSEDED";
      const failureCode = failure instanceof ProductError ? failure.code : undefined;
      store.revisions.update(key, { state, reason: sentence, failureCode });
    }
    const isKept = app.activeRevision !== undefined && app.activeRevision !== key.revision;
    store.events.add({
      ...key,
      kind: isKept ? "rolled_back" : "failed",
      sentence: `${key.revision} is not active: ${sentence.replace(/[.]?$/, ".")}${isKept ? ` ${app.activeRevision} goes on.` : ""}`,
    });
  });
  for (const { replica, purpose } of store.replicas.livingOf(key)) {
    if (purpose === "verifying") keeper.drain(replica, 0);
  }
  if (app.rollout?.isHolding) startAgain(context, keeper, app);
  context.publish();
}

function startAgain({ store }: ControlContext, keeper: ReplicaKeeper, app: AppRecord): void {
  if (app.activeRevision === undefined || app.desired !== "active") return;
  const active = store.revisions.find({ ...app, revision: app.activeRevision });
  if (active !== undefined) keeper.order(active, "serving");
}
