// How far a launch is: its phases, the end of its log, and how it went.

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
  /** Why it failed, or how an app ended that was run once. */
  readonly sentence: string | undefined;
  /** Reason that the replica ended, where that is known. */
  readonly reason: string | undefined;
}

const logLinesMaximum = 500;

export function beginLaunch(isEphemeral: boolean, nowMs: number): Launch {
  const phase = {
    phase: "send",
    sentence: "the script, to the server",
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

/** @param nowMs of a clock that never goes back */
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

/** It never came to an end of its own. */
export function failLaunch(launch: Launch, sentence: string, nowMs: number): Launch {
  return { ...endPhases(launch, nowMs), state: "failed", sentence };
}

/** The person has ended what was run once. */
export function stopLaunch(launch: Launch, nowMs: number): Launch {
  return { ...endPhases(launch, nowMs), state: "ended", sentence: "You have stopped it." };
}

/** Something still happens to it. */
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

/** Each try says the same. */
function unique(sentences: readonly string[]): readonly string[] {
  return [...new Set(sentences)];
}
