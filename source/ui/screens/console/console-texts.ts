// Texts for deployments, replicas and keys: names, states, ages and times.

import { toOneLine } from "../../../base/display-text.ts";
import { formatMilliseconds } from "../../../base/formats.ts";
import { plural, span, timeOfDay } from "../../../base/quantities.ts";
import type {
  AppDocument,
  AppState,
  KeyDocument,
  LogDocument,
  ReplicaDocument,
  ReplicaState,
  SharingRevision,
} from "../../../cloud/admin/documents.ts";
import type { TextRun } from "../../text/text-run.ts";
import { glyphs, type Tone } from "../../theme.ts";

/** Returns `local/tiny`, unique among all organisations. */
export function nameOf({ organisation, app }: { organisation: string; app: string }): string {
  return `${organisation}/${app}`;
}

/** Leaves out the server's own organisation. */
export function shownName(
  app: Pick<AppDocument, "organisation" | "app">,
  organisation: string | undefined,
): string {
  return app.organisation === organisation ? app.app : nameOf(app);
}

/** `r0007` of `r0007-1a2b3c4d`. */
export function shortRevision(revision: string | undefined): string | undefined {
  return revision?.split("-")[0];
}

/** `r0008 10 %: 40 requests, 2 5xx, p95 40ms; no room` */
export function sharingText(sharing: SharingRevision): string {
  const { revision, percent, requests, errors, ttfbMsP95, reason } = sharing;
  const latency = ttfbMsP95 === undefined ? "" : `, p95 ${formatMilliseconds(ttfbMsP95)}`;
  const problem = reason === undefined ? "" : `; ${toOneLine(reason)}`;
  const counts = `${plural(requests, "request")}, ${errors} 5xx`;
  return `${shortRevision(revision)} ${percent} %: ${counts}${latency}${problem}`;
}

/** Returns the last part of a replica's id, which is enough to tell replicas apart. */
export function shortReplica(replica: string): string {
  return replica.slice(-8);
}

/** Returns the living replicas of a node: `local/tiny 4k7fyq2x, local/app 8zm3n5qd`. */
export function replicasOn(node: string, replicas: readonly ReplicaDocument[]): string {
  return replicas
    .filter((replica) => replica.node === node && replica.exit === undefined)
    .map((replica) => `${nameOf(replica)} ${shortReplica(replica.replica)}`)
    .join(", ");
}

/** `45s`, `12m`, `3h`, `9d`. */
export function shortAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/**
 * Returns why a replica ended, how far it has started, or until when it stays.
 *
 * @param now milliseconds since 1970
 * @param isExplained true if the deployment's note already explains why replicas end
 */
export function replicaNote(replica: ReplicaDocument, now: number, isExplained = false): string {
  const { exit, progress, expiresAt, state, startedAt, gpus, node, coldStartMs } = replica;
  if (exit !== undefined) {
    return toOneLine(isExplained ? exit.reason.replaceAll("_", " ") : exit.sentence);
  }
  if (progress !== undefined && replica.readyAt === undefined) {
    return `${toOneLine(progress)}, for ${span(now - startedAt)}`;
  }
  const isIdle = state === "IDLE" || state === "ASLEEP";
  const began = replica.coldStartPhasesMs?.woke === undefined ? "started" : "woke";
  const parts = [
    ...(isIdle && expiresAt !== undefined ? [`${span(expiresAt - now)} left`] : []),
    ...(node === undefined ? [] : [`on ${node}`]),
    ...(gpus.length > 0 ? [plural(gpus.length, "GPU")] : []),
    ...(coldStartMs === undefined ? [] : [`${began} in ${formatMilliseconds(coldStartMs)}`]),
  ];
  return parts.join(", ");
}

/** Returns a key's description, or its id without one. */
export function keyName({ description, id }: KeyDocument): string {
  return description === undefined || description === "" ? id : toOneLine(description);
}

/** Returns the age of the last use, stored to the minute, which may start before the key. */
export function lastUse({ lastUsedAt, createdAt }: KeyDocument, now: number): string {
  return lastUsedAt === undefined ? "never" : shortAge(now - Math.max(lastUsedAt, createdAt));
}

/** As `deployctl logs` prints it. */
export function logLineText({ ts, replica, stream, text }: LogDocument): string {
  const mark = stream === "event" ? "*" : " ";
  return `${timeOfDay(ts)} ${shortReplica(replica).padEnd(8)} ${mark} ${text}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are the subject here
const colours = /\u001b\[[\d;:]*m/g;

/** Removes colours, which many programs write even without a terminal. */
export function withoutColours(text: string): string {
  return text.replaceAll(colours, "");
}

/** A symbol and a word for a state, so that nothing depends on colour; only problems are coloured. */
type StateLook = readonly [
  sign: "ready" | "working" | "idle" | "queued" | "failed" | "stopped" | "warning",
  word: string,
  tone: Tone,
];

const states: Readonly<Record<AppState | ReplicaState, StateLook>> = {
  // Deployments.
  COLD: ["idle", "cold", "dim"],
  ASLEEP: ["idle", "asleep", "dim"],
  STARTING: ["working", "starting", "plain"],
  READY: ["ready", "ready", "plain"],
  DEGRADED: ["warning", "degraded", "warning"],
  ROLLING: ["working", "rolling", "plain"],
  PAUSED: ["stopped", "stopped", "plain"],
  DELETING: ["working", "deleting", "plain"],
  DELETED: ["stopped", "deleted", "dim"],
  FAILED: ["failed", "failed", "error"],
  // Deployments and replicas.
  CRASH_BACKOFF: ["failed", "crashing", "error"],
  UNSCHEDULABLE: ["failed", "no room", "error"],
  // Replicas.
  PENDING: ["queued", "waiting", "dim"],
  PREPARING: ["working", "preparing", "plain"],
  SETUP: ["working", "starting", "plain"],
  IDLE: ["ready", "ready", "plain"],
  RUNNING: ["ready", "busy", "plain"],
  WAKING: ["working", "waking", "plain"],
  DRAINING: ["working", "draining", "plain"],
  TERMINATING: ["working", "stopping", "plain"],
  TERMINATED: ["idle", "ended", "dim"],
  UNHEALTHY: ["failed", "unhealthy", "error"],
  LOST: ["warning", "lost", "warning"],
};

export function stateRun(state: AppState | ReplicaState): TextRun {
  const [sign, word, tone] = states[state];
  return { text: `${glyphs[sign]} ${word}`, tone };
}

/** Without the glyph, for filters and screen readers. */
export function stateWord(state: AppState | ReplicaState): string {
  return states[state][1];
}
