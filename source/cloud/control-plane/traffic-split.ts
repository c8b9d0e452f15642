// Split of an app's traffic between the active revision and a candidate: its start, its changes, its end.
import type { TrafficPlan, TrafficShare } from "../admin/documents.ts";
import { type AppKey, type AppRecord, appName, type TrafficSplit } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { type ControlContext, candidateShortage } from "./control-context.ts";
import type { ReplicaManager } from "./replica-manager.ts";

export interface SplitBeginning {
  context: ControlContext;
  app: AppKey;
  candidate: RevisionRecord;
  plan: TrafficPlan;
  /** Replicas of the candidate that serve from now on. */
  fresh: readonly ReplicaRecord[];
}

/**
 * Begins a split in one transaction, in place of an earlier one. The next pass drains the replicas of the
 * earlier candidate.
 */
export function beginSplit({ context, app, candidate, plan, fresh }: SplitBeginning): void {
  const { store, clock } = context;
  const [percent = 1, ...further] = plan.percents;
  const { revision } = candidate;
  store.database.transaction(() => {
    const { traffic: earlier, activeRevision } = store.apps.get(app);
    if (earlier !== undefined) setAside(context, app, earlier, "Replaced by another revision.");
    store.revisions.update(candidate, {
      state: "CANARY",
      reason: undefined,
      failureCode: undefined,
      failures: 0,
      notBefore: 0,
    });
    for (const { replica } of fresh) store.replicas.update(replica, { purpose: "serving" });
    const traffic: TrafficSplit = {
      ...{ revision, percent },
      plan: further.length === 0 ? undefined : plan,
      since: clock.wallMs(),
      answers: {},
    };
    store.apps.update(app, { rollout: undefined, traffic });
    store.events.add({
      ...app,
      revision,
      kind: "split",
      sentence: `${revision} gets ${percent} % of the traffic, ${activeRevision} the rest.`,
    });
  });
  for (const { replica } of fresh) context.usedReplicas.add(replica);
  context.splitAnswers.restart(store.apps.get(app));
  context.publish();
  context.wake();
}

/** Changes the candidate's share. @param plan further shares */
export function changeShare(
  context: ControlContext,
  app: AppRecord,
  change: Pick<TrafficSplit, "revision" | "percent" | "plan">,
): void {
  const { store, clock } = context;
  const { revision, percent } = change;
  store.database.transaction(() => {
    store.apps.update(app, { traffic: { ...change, since: clock.wallMs(), answers: {} } });
    store.events.add({
      ...app,
      revision,
      kind: "split",
      sentence: `${revision} gets ${percent} % of the traffic, ${app.activeRevision} the rest.`,
    });
  });
  context.splitAnswers.restart(store.apps.get(app));
  context.publish();
  context.wake();
}

/** Returns all traffic to the active revision; the candidate's replicas finish their requests. */
export function endSplit(
  context: ControlContext,
  manager: ReplicaManager,
  app: AppRecord,
  reason: string,
): void {
  const { traffic } = app;
  if (traffic === undefined) return;
  const { store } = context;
  const { revision } = traffic;
  store.database.transaction(() => {
    setAside(context, app, traffic, reason);
    store.apps.update(app, { traffic: undefined });
    store.events.add({
      ...app,
      revision,
      kind: "split_aborted",
      sentence: `${app.activeRevision} gets all traffic again: ${reason}`,
    });
  });
  context.shortages.delete(candidateShortage(app, revision));
  context.splitAnswers.forget(app);
  const serving = store.replicas.livingOf(app).filter((each) => each.revision === revision);
  for (const { replica } of serving) manager.drain(replica);
  context.publish();
  context.wake();
}

/** Records the end of a candidate's share. A revision that has been active can be activated again. */
export function setAside(
  { store }: ControlContext,
  app: AppKey,
  { revision }: TrafficSplit,
  reason: string,
): void {
  const record = store.revisions.find({ ...app, revision });
  if (record === undefined) return;
  const state = record.activatedAt === undefined ? "ABORTED" : "SUPERSEDED";
  store.revisions.update(record, { state, reason });
}

/** Returns the shares of both revisions, the active one first. */
export function sharesOf({ activeRevision, traffic }: AppRecord): TrafficShare[] | undefined {
  if (activeRevision === undefined || traffic === undefined) return undefined;
  return [
    { revision: activeRevision, percent: 100 - traffic.percent },
    { revision: traffic.revision, percent: traffic.percent },
  ];
}

/** Returns a sentence part: "r0007-1a2b3c4d 90 % and r0008-5e6f7a8b 10 %". */
export function sharesText(app: AppRecord): string {
  const shares = sharesOf(app) ?? [];
  return shares.map(({ revision, percent }) => `${revision} ${percent} %`).join(" and ");
}

export function nameOfSplit(app: AppRecord): string {
  return `The traffic of ${appName(app)} is split (${sharesText(app)}).`;
}
