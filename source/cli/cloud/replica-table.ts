// Replicas as a table.
import { formatRelativeTime, formatRoughDuration } from "../../base/relative-time.ts";
import type { ReplicaDocument } from "../../cloud/admin/documents.ts";
import { formatTable } from "../table.ts";
import type { StateFlags } from "./flags.ts";
import { printAnswer } from "./print.ts";

/**
 * Lists running replicas; with `--state` or `--since` also ended ones, which are kept for a day.
 */
export function printReplicas(flags: StateFlags, all: readonly ReplicaDocument[]): void {
  const now = Date.now();
  const sinceMs = flags.since;
  const asked = flags.state?.toUpperCase();
  const state = asked ?? (sinceMs === undefined ? "ALIVE" : "ALL");
  const replicas = all.filter((replica) => {
    if (sinceMs !== undefined && replica.startedAt < now - sinceMs) return false;
    if (state === "ALIVE") return replica.state !== "TERMINATED";
    return state === "ALL" || replica.state === state;
  });
  printAnswer(flags, {
    document: { runners: replicas },
    text: replicaTable(replicas, now),
    names: replicas.map(({ replica }) => replica),
  });
}

export function replicaTable(replicas: readonly ReplicaDocument[], nowMs: number): string {
  const isOnNodes = replicas.some(({ node }) => node !== undefined);
  const rows = replicas.map((replica) => [
    replica.replica,
    `${replica.organisation}/${replica.app}`,
    replica.revision,
    replica.state,
    String(replica.inFlight),
    formatRoughDuration(nowMs - replica.startedAt),
    replica.expiresAt === undefined ? "-" : formatRelativeTime(replica.expiresAt, nowMs),
    isOnNodes ? (replica.node ?? "-") : replica.gpus.join(",") || "-",
    replica.exit?.sentence ?? replica.progress ?? "",
  ]);
  const headers = [
    "runner",
    "app",
    "revision",
    "state",
    "running",
    "age",
    "expires",
    isOnNodes ? "node" : "gpu",
    "detail",
  ];
  return formatTable(headers, rows);
}
