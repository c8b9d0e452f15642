// Retirement of old revisions: the files of all but the newest and the pinned ones are removed.
import { type AppKey, appName } from "../state/app-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import type { ControlContext } from "./control-context.ts";
import { planOf } from "./revision-plan.ts";

const keptRevisions = 10;
/** Number of revisions that stay listed; retired ones keep only their record. */
const listedRevisions = 100;

/** Never retires the active revision or one that still has replicas. */
export async function retireRevisions(context: ControlContext, key: AppKey): Promise<void> {
  const { store } = context;
  const app = store.apps.get(key);
  const inUse = new Set(store.replicas.livingOf(key).map(({ revision }) => revision));
  const isFree = ({ revision, isPinned }: RevisionRecord) =>
    !isPinned &&
    revision !== app.activeRevision &&
    revision !== app.traffic?.revision &&
    revision !== app.rollout?.revision &&
    !inUse.has(revision);
  const all = store.revisions.list(key);
  const whole = all.filter(({ state }) => state !== "RETIRED");
  for (const revision of whole.slice(keptRevisions).filter(isFree)) await retire(context, revision);
  for (const { state, revision } of all.slice(listedRevisions)) {
    if (state === "RETIRED") store.revisions.remove({ ...key, revision });
  }
  store.bundles.prune(store.revisions.bundles());
}

/** Removes a revision's files and secrets; its record stays. */
export async function retire(context: ControlContext, revision: RevisionRecord): Promise<void> {
  const { store, engine } = context;
  await engine.destroy(planOf(store, revision));
  store.database.transaction(() => {
    store.secrets.forget({ ...revision });
    store.revisions.update(revision, { state: "RETIRED" });
    store.events.add({
      ...revision,
      kind: "retired",
      sentence: `${revision.revision} of ${appName(revision)} is retired.`,
    });
  });
}
