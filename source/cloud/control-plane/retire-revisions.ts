// Keeps the newest revisions of an app and those that are pinned; the files of the others go.
import { type AppKey, appName } from "../state/app-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import type { ControlContext } from "./control-context.ts";
import { planOf } from "./revision-plan.ts";

const kept = 10;
/** Retired ones are shown for so long; only their record is left. */
const shown = 100;

/** The active one and those that still have replicas are never touched. */
export async function retireRevisions(context: ControlContext, key: AppKey): Promise<void> {
  const { store } = context;
  const app = store.apps.get(key);
  const inUse = new Set(store.replicas.livingOf(key).map(({ revision }) => revision));
  const isFree = ({ revision, isPinned }: RevisionRecord) =>
    !isPinned &&
    revision !== app.activeRevision &&
    revision !== app.rollout?.revision &&
    !inUse.has(revision);
  const all = store.revisions.list(key);
  const whole = all.filter(({ state }) => state !== "RETIRED");
  for (const revision of whole.slice(kept).filter(isFree)) await retire(context, revision);
  for (const { state, revision } of all.slice(shown)) {
    if (state === "RETIRED") store.revisions.remove({ ...key, revision });
  }
  store.bundles.prune(store.revisions.bundles());
}

/** Removes what was made for a revision; its record stays. */
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
