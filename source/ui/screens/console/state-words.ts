// How states look: a glyph and a word each, so that nothing hangs on a colour.

import type { AppState, ReplicaState } from "../../../cloud/admin/documents.ts";
import type { Span } from "../../frame/screen.ts";
import type { Glyphs, Tone } from "../../theme.ts";

type Sign = "ready" | "working" | "idle" | "queued" | "failed" | "stopped" | "warning";

const appStates: Readonly<Record<AppState, readonly [Sign, string, Tone]>> = {
  COLD: ["idle", "asleep", "dim"],
  STARTING: ["working", "starting", "mark"],
  READY: ["ready", "ready", "good"],
  DEGRADED: ["warning", "degraded", "warning"],
  CRASH_BACKOFF: ["failed", "crashing", "error"],
  UNSCHEDULABLE: ["failed", "no room", "error"],
  ROLLING: ["working", "rolling", "mark"],
  PAUSED: ["stopped", "stopped", "warning"],
  DELETING: ["working", "deleting", "mark"],
  DELETED: ["stopped", "deleted", "dim"],
  FAILED: ["failed", "failed", "error"],
};

const replicaStates: Readonly<Record<ReplicaState, readonly [Sign, string, Tone]>> = {
  PENDING: ["queued", "waiting", "dim"],
  PREPARING: ["working", "preparing", "mark"],
  SETUP: ["working", "starting", "mark"],
  IDLE: ["ready", "ready", "good"],
  RUNNING: ["ready", "busy", "good"],
  DRAINING: ["working", "draining", "mark"],
  TERMINATING: ["working", "ending", "mark"],
  TERMINATED: ["idle", "ended", "dim"],
  CRASH_BACKOFF: ["failed", "crashing", "error"],
  UNHEALTHY: ["failed", "unhealthy", "error"],
  LOST: ["warning", "lost", "warning"],
  UNSCHEDULABLE: ["failed", "no room", "error"],
};

export function appStateSpan(state: AppState, glyphs: Glyphs): Span {
  return spanOf(appStates[state], glyphs);
}

export function replicaStateSpan(state: ReplicaState, glyphs: Glyphs): Span {
  return spanOf(replicaStates[state], glyphs);
}

/** For ears. */
export function appStateWord(state: AppState): string {
  return appStates[state][1];
}

export function replicaStateWord(state: ReplicaState): string {
  return replicaStates[state][1];
}

function spanOf([sign, word, tone]: readonly [Sign, string, Tone], glyphs: Glyphs): Span {
  return { text: `${glyphs[sign]} ${word}`, tone };
}
