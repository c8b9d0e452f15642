// How states look: a glyph and a word each, so that nothing hangs on a colour.

import type { AppState, ReplicaState } from "../../../cloud/admin/documents.ts";
import type { TextRun } from "../../text/text-run.ts";
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

export function appStateRun(state: AppState, glyphs: Glyphs): TextRun {
  return stateRun(appStates[state], glyphs);
}

export function replicaStateRun(state: ReplicaState, glyphs: Glyphs): TextRun {
  return stateRun(replicaStates[state], glyphs);
}

/** Without the glyph, for filters and screen readers. */
export function appStateWord(state: AppState): string {
  return appStates[state][1];
}

export function replicaStateWord(state: ReplicaState): string {
  return replicaStates[state][1];
}

function stateRun([sign, word, tone]: readonly [Sign, string, Tone], glyphs: Glyphs): TextRun {
  return { text: `${glyphs[sign]} ${word}`, tone };
}
