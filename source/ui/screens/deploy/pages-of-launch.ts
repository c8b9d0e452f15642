// The last steps before and at the launch: the checks, the review, and how it goes.

import { formatBytes } from "../../../base/byte-format.ts";
import { formatMilliseconds } from "../../../base/time-format.ts";
import type { Glyphs, Tone } from "../../theme.ts";
import type { PreflightCheck } from "../cloud-access.ts";
import { authOf, isEphemeral, type Rules, referenceOf, scriptOf } from "./answers.ts";
import { arrived } from "./asked.ts";
import { commandText } from "./command-text.ts";
import { differencesOf } from "./config-differences.ts";
import {
  baseOf,
  type Checked,
  type DeployState,
  profileOf,
  revisionBefore,
  targetOf,
} from "./deploy-state.ts";
import { blank, type Line, line, type Page } from "./form.ts";
import type { Launch } from "./launch.ts";
import { fact } from "./pages-of-script.ts";

export function preflightPage({ known, checks }: DeployState, glyphs: Glyphs): Page {
  const { checked } = known;
  if (checked.kind === "failed") {
    const remedy = line("Esc goes back to the answer that is at fault; r asks again.", "dim");
    const said = line(checked.sentence, "error", `${glyphs.failed} `);
    return { question: "This cannot be deployed", items: [], lines: [said, blank, remedy] };
  }
  if (checked.kind !== "here") {
    const said = checks.flatMap((check) => checkLines(check, glyphs));
    const lines = [
      ...said,
      ...(said.length === 0 ? [] : [blank]),
      line("Nothing is sent yet.", "dim"),
    ];
    return { question: "Checking whether it would run", items: [], lines };
  }
  const { findings } = checked.value;
  const faults = findings.filter(({ kind }) => kind === "fault").length;
  const question =
    faults === 0
      ? "It can be launched"
      : `${faults} ${faults === 1 ? "thing stands" : "things stand"} in the way`;
  return {
    question,
    items: [],
    lines: findings.flatMap((finding) => findingLines(finding, glyphs)),
  };
}

function checkLines({ subject, findings }: PreflightCheck, glyphs: Glyphs): Line[] {
  if (findings === undefined) {
    return [line(subject, "mark", `${glyphs.working} ${"running".padEnd(8)}`)];
  }
  return findings.flatMap((finding) => findingLines(finding, glyphs));
}

function findingLines(
  { subject, kind, sentence, hint }: Checked["findings"][number],
  glyphs: Glyphs,
): Line[] {
  const [sign, word, tone] = {
    ok: [glyphs.done, "ok", "plain"],
    warning: [glyphs.warning, "warning", "warning"],
    fault: [glyphs.failed, "fault", "error"],
  }[kind] as [string, string, Tone];
  const lead = `${sign} ${word.padEnd(8)}`;
  const fix = hint === undefined ? [] : [line(hint, "key", " ".repeat(lead.length))];
  return [line(`${subject}: ${sentence}`, tone, lead), ...fix];
}

export function reviewPage(state: DeployState, rules: Rules): Page {
  const { given } = state;
  const checked = arrived(state.known.checked);
  const base = baseOf(state);
  if (checked === undefined || base === undefined) {
    return { question: "Nothing is checked yet", items: [], lines: [] };
  }
  const { looksSecret } = rules;
  const profile = profileOf(state);
  const isRun = isEphemeral(given);
  const files = `${checked.fileCount} ${checked.fileCount === 1 ? "file" : "files"}`;
  return {
    question: isRun ? "Run this?" : "Deploy this?",
    items: [],
    lines: [
      fact("Script", `${referenceOf(given)} (${files}, ${formatBytes(checked.sizeBytes)})`),
      fact("App", `${given.name || "one is drawn"}, ${authOf(given, base)}`),
      fact("Where", targetOf(state)?.place ?? "this machine"),
      ...checked.warnings.map((sentence) => line(sentence, "warning", "! ")),
      blank,
      line("Against the revision that is active", "title"),
      ...(isRun
        ? [line("It is run beside all revisions.", "dim", "  ")]
        : changeLines(state, rules)),
      blank,
      line("The same as a command (y copies it)", "title"),
      line(commandText(given, { base, profile, looksSecret }), "code", "  "),
    ],
  };
}

function changeLines({ known }: DeployState, { looksSecret }: Rules): Line[] {
  const { app } = known;
  const checked = arrived(known.checked);
  if (app.kind === "failed") return [line(app.sentence, "warning", "! ")];
  if (app.kind !== "here") return [line("It is being asked for", "dim", "  ")];
  const revision = app.value?.revision;
  if (app.value === undefined || revision === undefined || checked === undefined) {
    return [line("There is none: this is the first one.", "dim", "  ")];
  }
  const differences = differencesOf(revision.config, checked.config, looksSecret);
  const kept = app.value.overrides;
  return [
    ...(differences.length === 0
      ? [line(`Its settings are those of ${revision.revision}; its files may differ.`, "dim", "  ")]
      : [line(revision.revision, "dim", "  ")]),
    ...differences.map(({ label, before = "none", after = "none" }) =>
      line(`${label}: ${before} -> ${after}`, "plain", "  "),
    ),
    ...(kept.length === 0
      ? []
      : [line(`deployctl apps scale has set ${kept.join(", ")}: that stays.`, "dim", "  ")]),
  ];
}

export function launchPage(state: DeployState, glyphs: Glyphs, nowMs: number): Page {
  const { launch } = state;
  if (launch === undefined) return { question: "Nothing is launched yet", items: [], lines: [] };
  return {
    question: launchQuestion(state, launch),
    items: [],
    lines: [
      ...phaseLines(launch, glyphs, nowMs),
      ...launch.warnings.map((sentence) => line(sentence, "warning", "! ")),
      ...outcomeLines(state, launch, glyphs),
      ...(state.work === undefined ? [] : [line(state.work, "mark", `${glyphs.working} `)]),
    ],
    ...(launch.log.length > 0 && { tail: launch.log }),
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

function phaseLines({ phases, state }: Launch, glyphs: Glyphs, nowMs: number): Line[] {
  return phases.map(({ phase, sentence, startedAtMs, endedAtMs }, index) => {
    const isLast = index === phases.length - 1;
    const elapsed = formatMilliseconds((endedAtMs ?? nowMs) - startedAtMs);
    const sign =
      endedAtMs === undefined
        ? glyphs.working
        : isLast && state === "failed"
          ? glyphs.failed
          : glyphs.done;
    const tone = endedAtMs === undefined ? "mark" : "plain";
    return line(`${sentence}  ${elapsed}`, tone, `${sign} ${phase.padEnd(9)}`);
  });
}

function outcomeLines(state: DeployState, launch: Launch, glyphs: Glyphs): Line[] {
  const { result, sentence, reason } = launch;
  if (launch.state === "failed" || launch.state === "ended") {
    const isFailure = launch.state === "failed";
    const sign = isFailure ? glyphs.failed : glyphs.stopped;
    return [
      blank,
      line(sentence ?? "It is over.", isFailure ? "error" : "plain", `${sign} `),
      ...(reason === undefined || reason === sentence ? [] : [fact("Reason", reason)]),
      ...(isFailure && !launch.isEphemeral ? [line(standing(state), "dim", "  ")] : []),
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
    ...testLines(state, glyphs),
  ];
}

/** What callers have after a failure. */
function standing(state: DeployState): string {
  const before = revisionBefore(state);
  return before === undefined
    ? "e goes back to the answers, r tries it again, the script read anew."
    : `${before} was active before; u goes back to it, should it not be any more.`;
}

function keyLines({ key }: DeployState): Line[] {
  switch (key.kind) {
    case "none":
      return [];
    case "waiting":
      return [fact("Key", "being made")];
    case "failed":
      return [line(key.sentence, "error", "Key       ")];
    case "here":
      return [
        line(key.value.token, "value", "Key       "),
        line("Shown this once: y copies it.", "warning", "          "),
      ];
  }
}

function testLines({ tests }: DeployState, glyphs: Glyphs): Line[] {
  switch (tests.kind) {
    case "none":
      return [];
    case "waiting":
      return [line("asking it something", "mark", `${glyphs.working} `)];
    case "failed":
      return [line(tests.sentence, "error", `${glyphs.failed} `)];
    case "here":
      return tests.value.map(({ request, status, elapsedMs, sentence, isOk }) => {
        const code = status === undefined ? "" : ` ${status}`;
        const head = `${request}${code}, ${formatMilliseconds(elapsedMs)}: ${sentence}`;
        return line(head, isOk ? "good" : "error", `${isOk ? glyphs.done : glyphs.failed} `);
      });
  }
}
