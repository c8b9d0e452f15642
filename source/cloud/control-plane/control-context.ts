// What every part of the control plane works with.
import type { Clock } from "../../base/clock.ts";
import type { ScaleSettings } from "../app-config.ts";
import type { Capacity, Engine, ReplicaObservation } from "../engines/engine.ts";
import type { Traffic } from "../gateway/traffic.ts";
import { type AppKey, type AppRecord, appName } from "../state/app-records.ts";
import type { CloudStore } from "../state/cloud-store.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import type { Complaints } from "./complaints.ts";

/** An app that wants a replica which the machine cannot hold. */
export interface Shortage {
  since: number;
  capacity: Capacity;
  /** Whether an event tells of it. */
  isTold: boolean;
}

export interface ControlContext {
  store: CloudStore;
  engine: Engine;
  traffic: Traffic;
  clock: Clock;
  log: (text: string) => void;
  /** For what is tried again at every look. */
  complaints: Complaints;
  /** Why the state cannot be written, where it cannot: then no replica can be started or ended. */
  stateFault: () => string | undefined;
  /** 0..1, drawn anew. */
  random: () => number;
  /** How long a replica is to be ready before it counts as sound. */
  stableMs: number;
  /** Such as `http://127.0.0.1:8480`. */
  baseUrl: () => string;
  /** The engine's last word on each replica. */
  observations: Map<string, ReplicaObservation>;
  /** By `organisation/app`. */
  shortages: Map<string, Shortage>;
  /** Replicas that answered before this control plane began, or that verified a revision. */
  usedReplicas: Set<string>;
  /** Since when an app has fewer ready replicas than it wants, by `organisation/app`. */
  lackingSince: Map<string, number>;
  /** Brings the gateway's table up to date; cheap. */
  publish: () => void;
  /** Looks at everything again, after a while if one is given. */
  wake: (delayMs?: number) => void;
}

/** A revision's scale with what `apps scale` has set. */
export function effectiveScale(
  app: Pick<AppRecord, "overrides" | "isEphemeral">,
  revision: Pick<RevisionRecord, "config">,
): ScaleSettings {
  const scale = { ...revision.config.scale, ...app.overrides };
  // What is run once has one replica for as long as it runs.
  if (app.isEphemeral)
    return { ...scale, minConcurrency: 1, maxConcurrency: 1, concurrencyBuffer: 0 };
  return scale;
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
