// Replicas as a table.
import { formatRelativeTime, formatRoughDuration } from "../../base/relative-time.ts";
import type { ReplicaDocument } from "../../cloud/admin/documents.ts";
import { formatTable } from "../table.ts";
import type { Flags } from "./flags.ts";
import { printAnswer } from "./print.ts";

export function printReplicas(flags: Flags, replicas: readonly ReplicaDocument[]): void {
  printAnswer(flags, {
    document: { runners: replicas },
    text: replicaTable(replicas, Date.now()),
    names: replicas.map(({ replica }) => replica),
  });
}

export function replicaTable(replicas: readonly ReplicaDocument[], nowMs: number): string {
  const rows = replicas.map((replica) => [
    replica.replica,
    `${replica.organisation}/${replica.app}`,
    replica.revision,
    replica.state,
    String(replica.inFlight),
    formatRoughDuration(nowMs - replica.startedAt),
    replica.expiresAt === undefined ? "-" : formatRelativeTime(replica.expiresAt, nowMs),
    replica.gpus.join(",") || "-",
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
    "gpu",
    "detail",
  ];
  return formatTable(headers, rows);
}
