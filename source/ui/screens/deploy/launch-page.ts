// Page of the launch: its phases, its outcome, and the key and the test that follow.

import { formatMilliseconds } from "../../../base/time-format.ts";
import { scriptOf } from "./answers.ts";
import { type DeployState, type PageContext, revisionBefore } from "./deploy-state.ts";
import { blank, fact, type Line, line, type Page, warningLine } from "./form.ts";
import type { Launch } from "./launch.ts";

export function launchPage(state: DeployState, { nowMs }: PageContext): Page {
  const { launch } = state;
  if (launch === undefined) return { question: "Nothing is launched yet", items: [], lines: [] };
  return {
    question: launchQuestion(state, launch),
    items: [],
    lines: [
      ...phaseLines(launch, nowMs),
      ...launch.warnings.map(warningLine),
      ...outcomeLines(state, launch),
      ...(state.work === undefined ? [] : [workingLine(state.work)]),
    ],
    log: launch.log,
  };
}

function launchQuestion({ given }: DeployState, launch: Launch): string {
  const { state, isEphemeral: isRun, result } = launch;
  const [, drawn] = result?.app.split("/") ?? [];
  const name = drawn ?? (given.name || scriptOf(given));
  switch (state) {
    case "running":
      return `Launching ${name}`;
    case "live":
      return isRun ? `${name} runs until you stop it` : `${name} is live`;
    case "ended":
      return `${name} has ended`;
    case "failed":
      return `${name} could not be launched`;
  }
}

function phaseLines({ phases, state }: Launch, nowMs: number): Line[] {
  return phases.map(({ phase, sentence, startedAtMs, endedAtMs }, index) => {
    const elapsed = formatMilliseconds((endedAtMs ?? nowMs) - startedAtMs);
    const text = `${sentence}  ${elapsed}`;
    const label = phase.padEnd(phaseWidth);
    if (endedAtMs === undefined) return { ...workingLine(text), label };
    const hasFailed = index === phases.length - 1 && state === "failed";
    return { text, tone: "plain", sign: hasFailed ? "failed" : "done", label };
  });
}

const phaseWidth = 9;

function workingLine(text: string): Line {
  return { text, tone: "mark", sign: "working" };
}

function errorLine(text: string): Line {
  return { text, tone: "error", sign: "failed" };
}

function outcomeLines(state: DeployState, launch: Launch): Line[] {
  const { result, sentence, reason } = launch;
  if (launch.state === "failed" || launch.state === "ended") {
    const isFailure = launch.state === "failed";
    const text = sentence ?? "It is over.";
    return [
      blank,
      isFailure ? errorLine(text) : { text, tone: "plain", sign: "stopped" },
      ...(reason === undefined || reason === sentence ? [] : [fact("Reason", reason)]),
      ...(isFailure && !launch.isEphemeral ? [line(remedy(state), "dim", "  ")] : []),
    ];
  }
  if (result === undefined) return [];
  const cold = result.cold_start_ms;
  const ready = cold === undefined ? "" : `, ready after ${formatMilliseconds(cold)}`;
  const status = {
    active: "active",
    no_change: "active already: nothing changed",
    rolling_out: "being verified",
  };
  return [
    blank,
    fact("URL", result.url),
    fact("Revision", `${result.revision}, ${status[result.status]}${ready}`),
    fact("Access", result.auth),
    ...keyLines(state),
    ...testLines(state),
  ];
}

/** The way on after a failure, and the revision that callers have meanwhile. */
function remedy(state: DeployState): string {
  const before = revisionBefore(state);
  return before === undefined
    ? "e goes back to the answers, r tries it again, the script read anew."
    : `${before} was active before; u goes back to it, should it not be any more.`;
}

function keyLines({ key }: DeployState): Line[] {
  switch (key.kind) {
    case "none":
      return [];
    case "loading":
      return [fact("Key", "being made")];
    case "failed":
      return [{ ...fact("Key", key.sentence), tone: "error" }];
    case "loaded":
      return [
        { ...fact("Key", key.value.token), tone: "value" },
        { ...fact("", "Shown this once: y copies it."), tone: "warning" },
      ];
  }
}

function testLines({ tests }: DeployState): Line[] {
  switch (tests.kind) {
    case "none":
      return [];
    case "loading":
      return [workingLine("asking it something")];
    case "failed":
      return [errorLine(tests.sentence)];
    case "loaded":
      return tests.value.map(({ request, status, elapsedMs, sentence, isOk }) => {
        const code = status === undefined ? "" : ` ${status}`;
        const text = `${request}${code}, ${formatMilliseconds(elapsedMs)}: ${sentence}`;
        return isOk ? { text, tone: "good", sign: "done" } : errorLine(text);
      });
  }
}
