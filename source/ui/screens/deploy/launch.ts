// Progress of a launch: its phases, the end of its log, and its outcome.

import type { DeployPhase, DeployResult, EphemeralEvent } from "../../../cloud/admin/documents.ts";

export interface LaunchPhase {
  readonly phase: DeployPhase | "send";
  readonly sentence: string;
  readonly startedAtMs: number;
  /** Undefined while it runs. */
  readonly endedAtMs: number | undefined;
}

export interface Launch {
  readonly state: "running" | "live" | "ended" | "failed";
  readonly isEphemeral: boolean;
  readonly startedAtMs: number;
  readonly phases: readonly LaunchPhase[];
  readonly warnings: readonly string[];
  /** The last lines. */
  readonly log: readonly string[];
  readonly result: DeployResult | undefined;
  /** Why it failed, or how a one-time run ended. */
  readonly sentence: string | undefined;
  /** Why the replica ended, if known. */
  readonly reason: string | undefined;
}

const logLinesMaximum = 500;

export function beginLaunch(isEphemeral: boolean, nowMs: number): Launch {
  const phase = {
    phase: "send",
    sentence: "Uploading the script.",
    startedAtMs: nowMs,
  } as const;
  return {
    state: "running",
    isEphemeral,
    startedAtMs: nowMs,
    phases: [{ ...phase, endedAtMs: undefined }],
    warnings: [],
    log: [],
    result: undefined,
    sentence: undefined,
    reason: undefined,
  };
}

/** @param nowMs of a monotonic clock */
export function afterEvent(launch: Launch, event: EphemeralEvent, nowMs: number): Launch {
  switch (event.kind) {
    case "heartbeat":
      return launch;
    case "phase":
      return { ...launch, phases: withPhase(launch.phases, event, nowMs) };
    case "log":
      return withLog(launch, [event.text]);
    case "line":
      return withLog(launch, [event.line.text]);
    case "warning":
      return { ...launch, warnings: unique([...launch.warnings, event.sentence]) };
    case "done": {
      const ended = endPhases(launch, nowMs);
      const warnings = [...launch.warnings, ...event.result.warnings];
      return { ...ended, state: "live", result: event.result, warnings: unique(warnings) };
    }
    case "failed": {
      const { sentence, reason, tail } = event;
      const known = new Set(launch.log);
      const log = withLog(
        endPhases(launch, nowMs),
        tail.filter((line) => !known.has(line.trimEnd())),
      );
      return { ...log, state: "failed", sentence, reason };
    }
    case "ended":
      return { ...endPhases(launch, nowMs), state: "ended", sentence: event.exit.sentence };
  }
}

/** Marks an interrupted launch as failed. */
export function failLaunch(launch: Launch, sentence: string, nowMs: number): Launch {
  return { ...endPhases(launch, nowMs), state: "failed", sentence };
}

/** Marks a one-time run as stopped by the user. */
export function stopLaunch(launch: Launch, nowMs: number): Launch {
  return { ...endPhases(launch, nowMs), state: "ended", sentence: "You stopped it." };
}

/** True while the launch or one-time run is in progress. */
export function isOngoing(launch: Launch | undefined): boolean {
  return launch?.state === "running" || (launch?.state === "live" && launch.isEphemeral);
}

function withPhase(
  phases: readonly LaunchPhase[],
  { phase, sentence }: { phase: DeployPhase; sentence: string },
  nowMs: number,
): readonly LaunchPhase[] {
  const last = phases.at(-1);
  if (last?.phase === phase) return [...phases.slice(0, -1), { ...last, sentence }];
  const ended = phases.map((entry) => ({ ...entry, endedAtMs: entry.endedAtMs ?? nowMs }));
  return [...ended, { phase, sentence, startedAtMs: nowMs, endedAtMs: undefined }];
}

function withLog(launch: Launch, texts: readonly string[]): Launch {
  const lines = texts.flatMap((text) => text.split(/\r?\n/)).map((line) => line.trimEnd());
  const log = [...launch.log, ...lines.filter((line) => line !== "")].slice(-logLinesMaximum);
  return { ...launch, log };
}

function endPhases(launch: Launch, nowMs: number): Launch {
  const phases = launch.phases.map((entry) => ({ ...entry, endedAtMs: entry.endedAtMs ?? nowMs }));
  return { ...launch, phases };
}

/** Drops repetitions: each attempt warns again. */
function unique(sentences: readonly string[]): readonly string[] {
  return [...new Set(sentences)];
}
