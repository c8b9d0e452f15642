// State and document of a replica, from its record, the engine's latest observation, and its
// requests.

import type { ReplicaDocument, ReplicaState } from "../admin/documents.ts";
import type { ScaleSettings } from "../app-config.ts";
import { keepAliveOf } from "../autoscaler/decide.ts";
import type { ReplicaObservation } from "../engines/engine.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";

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

export interface IdleFacts {
  record: ReplicaRecord;
  lastUsedAt: number | undefined;
  /** Start of this control plane: adopted replicas get their full keep-alive again. */
  adoptedAt: number;
}

/** Returns the time since which a replica without requests has been idle. */
export function idleSince({ record, lastUsedAt, adoptedAt }: IdleFacts): number {
  return Math.max(lastUsedAt ?? 0, record.readyAt ?? record.createdAt, adoptedAt);
}

export function replicaDocument(
  facts: ReplicaFacts & { idleSince: number; wasUsed: boolean; scale: ScaleSettings | undefined },
): ReplicaDocument {
  const { record, observation, inFlight, scale } = facts;
  const state = replicaState(facts);
  return {
    organisation: record.organisation,
    app: record.app,
    revision: record.revision,
    replica: record.replica,
    state,
    inFlight,
    endpoint: observation?.endpoint,
    processId: observation?.processId,
    node: observation?.node,
    progress: observation?.progress,
    gpus: observation?.gpus ?? [],
    startedAt: record.createdAt,
    readyAt: record.readyAt,
    expiresAt:
      state === "IDLE" && scale !== undefined
        ? facts.idleSince + keepAliveOf(scale, facts.wasUsed)
        : undefined,
    exit: record.exit ?? observation?.exit,
    coldStartMs: record.readyAt === undefined ? undefined : record.readyAt - record.createdAt,
    coldStartPhasesMs: observation?.startPhasesMs,
  };
}
