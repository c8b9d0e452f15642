// States of apps, with a reason, and of replicas.
import type { AppState, ReplicaState } from "../admin/documents.ts";
import type { ReplicaObservation } from "../engines/engine.ts";
import { cloudErrors } from "../errors.ts";
import type { AppRecord } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { failuresUntilFailed } from "./back-off.ts";

export interface AppFacts {
  app: Pick<AppRecord, "desired" | "rollout">;
  active: Pick<RevisionRecord, "state" | "reason" | "failures" | "notBefore"> | undefined;
  /** Reason why the newest revision failed, when none is active. */
  lastFailure: { code: string | undefined; sentence: string | undefined } | undefined;
  /** States of the active revision's replicas. */
  replicas: readonly ReplicaState[];
  wanted: number;
  /** Reason why no replica fits; undefined when one does. */
  shortage: string | undefined;
  /** Reason why the state cannot be written; undefined when it can. */
  stateFault: string | undefined;
  /** Sentence about answers that are errors alone; undefined when some are not. */
  errors: string | undefined;
  /** Milliseconds for which fewer replicas have been ready than wanted. */
  lackingMs: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** Time with too few replicas after which an app counts as degraded. */
const degradedAfterMs = 60_000;

export function appState(facts: AppFacts): { state: AppState; reason: string | undefined } {
  const { app, active, replicas, wanted, shortage, stateFault, now } = facts;
  const plain = (state: AppState) => ({ state, reason: undefined });
  if (app.desired === "deleted") return plain("DELETED");
  if (app.desired === "deleting") return plain("DELETING");
  if (app.desired === "paused") return plain("PAUSED");
  if (app.rollout !== undefined) return plain(active === undefined ? "STARTING" : "ROLLING");
  if (active === undefined) {
    const isShort = facts.lastFailure?.code === cloudErrors.noCapacity.code;
    return { state: isShort ? "UNSCHEDULABLE" : "FAILED", reason: facts.lastFailure?.sentence };
  }
  const ready = replicas.filter(isReady).length;
  if (ready === 0 && now < active.notBefore) {
    const isFailed = active.failures >= failuresUntilFailed;
    const count = isFailed ? ` (${active.failures} times in a row)` : "";
    const reason = (active.reason ?? "A replica exited").replace(/[.]$/, "");
    return { state: "CRASH_BACKOFF", reason: `${reason}${count}.` };
  }
  if (ready < wanted && stateFault !== undefined) {
    return { state: "DEGRADED", reason: stateFault };
  }
  if (ready === 0 && shortage !== undefined) return { state: "UNSCHEDULABLE", reason: shortage };
  if (ready === 0 && (replicas.some(isStarting) || wanted > 0)) return plain("STARTING");
  if (ready === 0) return plain(replicas.includes("ASLEEP") ? "ASLEEP" : "COLD");
  if (ready < wanted && facts.lackingMs >= degradedAfterMs) {
    const reason = shortage ?? `${ready} of ${wanted} replicas are ready`;
    return { state: "DEGRADED", reason };
  }
  return { state: facts.errors === undefined ? "READY" : "DEGRADED", reason: facts.errors };
}

/** Returns true for a replica that takes requests. */
export function isReady(state: ReplicaState): boolean {
  return state === "IDLE" || state === "RUNNING";
}

function isStarting(state: ReplicaState): boolean {
  return startingStates.has(state);
}

const startingStates: ReadonlySet<ReplicaState> = new Set([
  ...(["PENDING", "PREPARING", "SETUP", "WAKING", "LOST"] as const),
]);

export interface ReplicaFacts {
  record: ReplicaRecord;
  observation: ReplicaObservation | undefined;
  inFlight: number;
  /** Milliseconds since 1970. */
  now: number;
  /** Earliest start of the revision's next replica; milliseconds since 1970. */
  notBefore: number;
  isShort: boolean;
}

export function replicaState(facts: ReplicaFacts): ReplicaState {
  const { record, observation, inFlight, now, notBefore, isShort } = facts;
  // The record may lag behind, for example when the disk is full.
  if (record.stage !== "ended" && observation?.phase === "exited") return "TERMINATED";
  switch (record.stage) {
    case "ordered":
      return isShort ? "UNSCHEDULABLE" : "PENDING";
    case "started":
      if (observation === undefined) return "LOST";
      return observation.phase === "preparing" ? "PREPARING" : "SETUP";
    case "ready":
      if (observation === undefined) return "LOST";
      if (observation.phase === "unhealthy") return "UNHEALTHY";
      return inFlight > 0 ? "RUNNING" : "IDLE";
    case "asleep":
      return "ASLEEP";
    case "waking":
      return "WAKING";
    case "draining":
      return observation?.phase === "unhealthy" ? "UNHEALTHY" : "DRAINING";
    case "stopping":
      return "TERMINATING";
    case "ended":
      return isWaitingToStart(record) && now < notBefore ? "CRASH_BACKOFF" : "TERMINATED";
  }
}

/** Returns true for a replica that exited before it was ready. */
function isWaitingToStart({ exit, readyAt }: ReplicaRecord): boolean {
  return readyAt === undefined && exit !== undefined && exit.reason !== "stopped";
}
