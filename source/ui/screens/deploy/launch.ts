// Progress of a launch, and its page: phases, the end of the log, the outcome, and the key and the test
// that follow.

import { formatMilliseconds } from "../../../base/formats.ts";
import type { DeployPhase, EphemeralEvent } from "../../../cloud/admin/documents.ts";
import type { TestStep } from "../../app/cloud-access.ts";
import { scriptOf } from "./answers.ts";
import { type DeployState, type Launch, placeOf, revisionBefore } from "./deploy-state.ts";
import { blank, errorLine, fact, type Line, line, warningLine, workingLine } from "./form.ts";

const logLinesMaximum = 500;

export function beginLaunch(isEphemeral: boolean, nowMs: number): Launch {
  const sentence = "Uploading the script.";
  return {
    state: "running",
    isEphemeral,
    phases: [{ phase: "send", sentence, startedAtMs: nowMs, endedAtMs: undefined }],
    warnings: [],
    log: [],
    callLines: [],
  };
}

/** @param nowMs of a monotonic clock */
export function afterEvent(launch: Launch, event: EphemeralEvent, nowMs: number): Launch {
  switch (event.kind) {
    case "heartbeat":
      return launch;
    case "phase":
      return withPhase(launch, event, nowMs);
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
  launch: Launch,
  { phase, sentence }: { phase: DeployPhase; sentence: string },
  nowMs: number,
): Launch {
  const { phases } = launch;
  const last = phases.at(-1);
  if (last?.phase === phase) return { ...launch, phases: phases.with(-1, { ...last, sentence }) };
  const begun = { phase, sentence, startedAtMs: nowMs, endedAtMs: undefined };
  return { ...launch, phases: [...endPhases(launch, nowMs).phases, begun] };
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

export function launchPage(state: DeployState) {
  const { launch, work, nowMs } = state;
  if (launch === undefined) return { question: "Nothing launched yet" };
  return {
    question: launchQuestion(state, launch),
    lines: [
      ...phaseLines(launch, nowMs),
      ...launch.warnings.map(warningLine),
      ...(launch.state === "failed" || launch.state === "ended"
        ? endLines(state, launch)
        : liveLines(launch)),
      ...(work === undefined ? [] : [workingLine(work)]),
    ],
    log: launch.log,
  };
}

function launchQuestion(deploy: DeployState, launch: Launch): string {
  const { state, isEphemeral, result } = launch;
  const [, generated] = result?.app.split("/") ?? [];
  const name = generated ?? (placeOf(deploy).app || scriptOf(deploy.given));
  switch (state) {
    case "running":
      return `Launching ${name}`;
    case "live":
      return isEphemeral ? `${name} runs until you stop it` : `${name} is live`;
    case "ended":
      return `${name} has ended`;
    case "failed":
      return `${name} failed to launch`;
  }
}

function phaseLines({ phases, state }: Launch, nowMs: number): Line[] {
  return phases.map(({ phase, sentence, startedAtMs, endedAtMs }, index) => {
    const text = `${sentence}  ${formatMilliseconds((endedAtMs ?? nowMs) - startedAtMs)}`;
    const label = phase.padEnd(9);
    if (endedAtMs === undefined) return workingLine(text, label);
    const hasFailed = index === phases.length - 1 && state === "failed";
    return { text, tone: "plain", sign: hasFailed ? "failed" : "done", label };
  });
}

function endLines(state: DeployState, launch: Launch): Line[] {
  const { sentence, reason, isEphemeral } = launch;
  const text = sentence ?? "The app has ended.";
  const why = reason === undefined || reason === sentence ? [] : [fact("Reason", reason)];
  if (launch.state === "ended") {
    return [blank, { text, tone: "plain", sign: "stopped" }, ...why];
  }
  const before = revisionBefore(state);
  const remedy =
    before === undefined
      ? "e edits the answers; r reads the script again and retries."
      : `${before} was active before; u rolls back to it.`;
  return [blank, errorLine(text), ...why, ...(isEphemeral ? [] : [line(remedy, "dim", "  ")])];
}

const statuses = {
  active: "active",
  no_change: "already active, no changes",
  rolling_out: "being verified",
  split: "gets a share of the traffic",
};

function liveLines(launch: Launch): Line[] {
  const { result, callLines } = launch;
  if (result === undefined) return [];
  const canChat = result.api.kind === "openai";
  const cold = result.cold_start_ms;
  const ready = cold === undefined ? "" : `, ready after ${formatMilliseconds(cold)}`;
  return [
    blank,
    fact("URL", canChat ? `${result.url}/v1` : result.url),
    fact("Revision", `${result.revision}, ${statuses[result.status]}${ready}`),
    fact("Access", result.auth),
    ...keyLines(launch),
    ...testLines(launch),
    // y copies the other lines too.
    ...callLines
      .filter((text) => text.startsWith("curl") && (!canChat || text.includes(" -d ")))
      .flatMap((text) => [blank, line(text, "code")]),
  ];
}

function keyLines({ key }: Launch): Line[] {
  if (key === undefined) return [];
  if (key.kind === "loading") return [fact("Key", "creating")];
  if (key.kind === "failed") return [fact("Key", key.sentence, "error")];
  const { token } = key.value;
  return [fact("Key", token, "value"), fact("", "Shown only once: y copies it.", "warning")];
}

function testLines({ tests }: Launch): Line[] {
  if (tests === undefined) return [];
  if (tests.kind === "loading") return [blank, workingLine("sending a test request")];
  if (tests.kind === "failed") return [blank, errorLine(tests.sentence)];
  return [blank, ...tests.value.flatMap(testStepLines)];
}

function testStepLines({ request, status, elapsedMs, expected, sentence, isOk }: TestStep): Line[] {
  const code = status === undefined ? "" : ` ${status}`;
  const text = `${request}${code}, ${formatMilliseconds(elapsedMs)}`;
  return [
    isOk ? { text, tone: "plain", sign: "done" } : errorLine(text),
    line(`expected ${expected}; got: ${sentence}`, isOk ? "plain" : "error", "  "),
  ];
}
