// Page of the launch: its phases, its outcome, and the key and the test that follow.

import { formatMilliseconds } from "../../../base/formats.ts";
import type { TestStep } from "../cloud-access.ts";
import { scriptOf } from "./answers.ts";
import { type DeployState, loadedValue, revisionBefore } from "./deploy-state.ts";
import { blank, errorLine, fact, type Line, line, warningLine, workingLine } from "./form.ts";
import type { Launch } from "./launch.ts";

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
        : liveLines(state, launch)),
      ...(work === undefined ? [] : [workingLine(work)]),
    ],
    log: launch.log,
  };
}

function launchQuestion({ given }: DeployState, launch: Launch): string {
  const { state, isEphemeral, result } = launch;
  const [, generated] = result?.app.split("/") ?? [];
  const name = generated ?? (given.name || scriptOf(given));
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
};

function liveLines(state: DeployState, { result }: Launch): Line[] {
  if (result === undefined) return [];
  const hasOwnPaths = loadedValue(state.known.script)?.inspection.endpoints !== undefined;
  const cold = result.cold_start_ms;
  const ready = cold === undefined ? "" : `, ready after ${formatMilliseconds(cold)}`;
  return [
    blank,
    fact("URL", hasOwnPaths ? result.url : `${result.url}/v1`),
    fact("Revision", `${result.revision}, ${statuses[result.status]}${ready}`),
    fact("Access", result.auth),
    ...keyLines(state),
    ...testLines(state),
    // y copies the other lines too.
    ...state.callLines
      .filter((text) => text.startsWith("curl") && text.includes(" -d "))
      .flatMap((text) => [blank, line(text, "code")]),
  ];
}

function keyLines({ key }: DeployState): Line[] {
  switch (key.kind) {
    case "none":
      return [];
    case "loading":
      return [fact("Key", "creating")];
    case "failed":
      return [fact("Key", key.sentence, "error")];
    case "loaded":
      return [
        fact("Key", key.value.token, "value"),
        fact("", "Shown only once: y copies it.", "warning"),
      ];
  }
}

function testLines({ tests }: DeployState): Line[] {
  switch (tests.kind) {
    case "none":
      return [];
    case "loading":
      return [blank, workingLine("sending a test request")];
    case "failed":
      return [blank, errorLine(tests.sentence)];
    case "loaded":
      return [blank, ...tests.value.flatMap(testStepLines)];
  }
}

function testStepLines({ request, status, elapsedMs, expected, sentence, isOk }: TestStep): Line[] {
  const code = status === undefined ? "" : ` ${status}`;
  const text = `${request}${code}, ${formatMilliseconds(elapsedMs)}`;
  return [
    isOk ? { text, tone: "plain", sign: "done" } : errorLine(text),
    line(`expected ${expected}; got: ${sentence}`, isOk ? "plain" : "error", "  "),
  ];
}
