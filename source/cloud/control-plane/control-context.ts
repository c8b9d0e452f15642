// Context shared by all parts of the control plane.
import type { Clock } from "../../base/clock.ts";
import type { ScaleSettings } from "../app-config.ts";
import type { Capacity, Engine, ReplicaObservation } from "../engines/engine.ts";
import type { Traffic } from "../gateway/traffic.ts";
import { type AppKey, type AppRecord, appName } from "../state/app-records.ts";
import type { CloudStore } from "../state/cloud-store.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import type { ErrorStreaks } from "./error-streaks.ts";
import type { RecurringErrors } from "./recurring-errors.ts";
import type { SplitAnswers } from "./split-answers.ts";

/** Replica that an app needs and the machine has no room for. */
export interface Shortage {
  since: number;
  capacity: Capacity;
  /** True once an event has reported it. */
  isReported: boolean;
}

export interface ControlContext {
  store: CloudStore;
  engine: Engine;
  traffic: Traffic;
  clock: Clock;
  log: (text: string) => void;
  /** Log of errors that every reconciliation may repeat. */
  recurringErrors: RecurringErrors;
  /** Reason why the state cannot be written, if any: no replica can start or end meanwhile. */
  stateFault: () => string | undefined;
  /** Returns a random number in 0..1. */
  random: () => number;
  /** Time that a replica must be ready to count as stable. */
  stableMs: number;
  /** Public address, such as `http://127.0.0.1:8480`. */
  baseUrl: () => string;
  /** Latest observation of each replica by the engine. */
  observations: Map<string, ReplicaObservation>;
  /** By `organisation/app`, or as `candidateShortage` names it. */
  shortages: Map<string, Shortage>;
  /** Replicas that served before this control plane started, or that verified a revision. */
  usedReplicas: Set<string>;
  /** Times since which apps have fewer ready replicas than wanted, by `organisation/app`. */
  lackingSince: Map<string, number>;
  errorStreaks: ErrorStreaks;
  splitAnswers: SplitAnswers;
  /** Updates the gateway's routing table; cheap. */
  publish: () => void;
  /** Triggers a full reconciliation, after a delay if one is given. */
  wake: (delayMs?: number) => void;
}

/** Combines a revision's scale with the overrides of `apps scale`. */
export function effectiveScale(
  app: Pick<AppRecord, "overrides" | "isEphemeral">,
  revision: Pick<RevisionRecord, "config">,
): ScaleSettings {
  const scale = { ...revision.config.scale, ...app.overrides };
  // Ephemeral apps have exactly one replica.
  if (app.isEphemeral)
    return { ...scale, minConcurrency: 1, maxConcurrency: 1, concurrencyBuffer: 0 };
  return scale;
}

/** Returns a revision's part of the scale while traffic is split: its share, rounded up. */
export function sharedScale(app: AppRecord, revision: RevisionRecord): ScaleSettings {
  const scale = effectiveScale(app, revision);
  const { traffic } = app;
  if (traffic === undefined) return scale;
  const isCandidate = revision.revision === traffic.revision;
  const percent = isCandidate ? traffic.percent : 100 - traffic.percent;
  const part = (count: number) => Math.ceil((count * percent) / 100);
  return {
    ...scale,
    minConcurrency: part(scale.minConcurrency),
    maxConcurrency: part(scale.maxConcurrency),
    concurrencyBuffer: part(scale.concurrencyBuffer),
  };
}

/** Returns the second revision that shares the app's traffic. */
export function candidateRevision(
  context: Pick<ControlContext, "store">,
  app: AppRecord,
): RevisionRecord | undefined {
  if (app.traffic === undefined) return undefined;
  return context.store.revisions.find({ ...app, revision: app.traffic.revision });
}

/** Returns the revisions that get traffic, the active one first. */
export function servingRevisions(
  context: Pick<ControlContext, "store">,
  app: AppRecord,
): RevisionRecord[] {
  const all = [activeRevision(context, app), candidateRevision(context, app)];
  return all.filter((revision) => revision !== undefined);
}

/** Returns the name of a candidate's shortage. */
export function candidateShortage(app: AppKey, revision: string): string {
  return `${appName(app)} ${revision}`;
}

export function activeRevision(
  context: Pick<ControlContext, "store">,
  app: AppRecord,
): RevisionRecord | undefined {
  if (app.activeRevision === undefined) return undefined;
  return context.store.revisions.find({ ...app, revision: app.activeRevision });
}

export function shortageOf(context: ControlContext, app: AppKey): Shortage | undefined {
  return context.shortages.get(appName(app));
}
