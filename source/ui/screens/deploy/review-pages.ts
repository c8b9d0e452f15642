// Pages before the launch: the checks, and the review with its differences and its command.

import { formatBytes } from "../../../base/byte-format.ts";
import type { AppConfig } from "../../../cloud/app-config.ts";
import type { PreflightCheck, PreflightFinding } from "../cloud-access.ts";
import {
  authOf,
  changedSettings,
  isEphemeral,
  namesIn,
  type Rules,
  referenceOf,
  variablesOf,
} from "./answers.ts";
import {
  baseOf,
  type DeployState,
  loadedValue,
  type PageContext,
  profileOf,
  targetOf,
} from "./deploy-state.ts";
import { blank, fact, type Line, line, type Page, warningLine } from "./form.ts";
import { settings } from "./settings.ts";

export function preflightPage({ known, checks }: DeployState): Page {
  const { checked } = known;
  if (checked.kind === "failed") {
    const lines: Line[] = [
      { text: checked.sentence, tone: "error", sign: "failed" },
      blank,
      line("Esc goes back to the answer that is at fault; r asks again.", "dim"),
    ];
    return { question: "This cannot be deployed", items: [], lines };
  }
  if (checked.kind !== "loaded") {
    const done = checks.flatMap(checkLines);
    const lines = [
      ...done,
      ...(done.length === 0 ? [] : [blank]),
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
  return { question, items: [], lines: findings.flatMap(findingLines) };
}

function checkLines({ subject, findings }: PreflightCheck): Line[] {
  if (findings === undefined) {
    return [{ text: subject, tone: "mark", sign: "working", label: "running".padEnd(wordWidth) }];
  }
  return findings.flatMap(findingLines);
}

const wordWidth = 8;
const findingLooks = {
  ok: { sign: "done", tone: "plain" },
  warning: { sign: "warning", tone: "warning" },
  fault: { sign: "failed", tone: "error" },
} as const;

function findingLines({ subject, kind, sentence, hint }: PreflightFinding): Line[] {
  const label = kind.padEnd(wordWidth);
  const finding = { ...findingLooks[kind], label, text: `${subject}: ${sentence}` };
  // A hint begins below the text, behind the sign and its blank.
  return hint === undefined ? [finding] : [finding, line(hint, "key", " ".repeat(2 + wordWidth))];
}

export function reviewPage(state: DeployState, { rules }: PageContext): Page {
  const { given } = state;
  const checked = loadedValue(state.known.checked);
  const base = baseOf(state);
  const command = commandOf(state, rules);
  if (checked === undefined || base === undefined || command === undefined) {
    return { question: "Nothing is checked yet", items: [], lines: [] };
  }
  const isRun = isEphemeral(given);
  const files = `${checked.fileCount} ${checked.fileCount === 1 ? "file" : "files"}`;
  return {
    question: isRun ? "Run this?" : "Deploy this?",
    items: [],
    lines: [
      fact("Script", `${referenceOf(given)} (${files}, ${formatBytes(checked.sizeBytes)})`),
      fact("App", `${given.name || "one is drawn"}, ${authOf(given, base)}`),
      fact("Where", targetOf(state)?.place ?? "this machine"),
      ...checked.warnings.map(warningLine),
      blank,
      line("Against the revision that is active", "title"),
      ...(isRun
        ? [line("It is run beside all revisions.", "dim", "  ")]
        : changeLines(state, rules)),
      blank,
      line("The same as a command (y copies it)", "title"),
      line(command, "code", "  "),
    ],
  };
}

function changeLines({ known }: DeployState, { looksSecret }: Rules): Line[] {
  const { app } = known;
  const checked = loadedValue(known.checked);
  if (app.kind === "failed") return [warningLine(app.sentence)];
  if (app.kind !== "loaded") return [line("It is being asked for", "dim", "  ")];
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

export interface Difference {
  readonly label: string;
  /** Undefined: it was not there. */
  readonly before: string | undefined;
  /** Undefined: it will not be there. */
  readonly after: string | undefined;
}

/** In the order of the screen's steps. Values of variables that look secret are not shown. */
export function differencesOf(
  before: AppConfig,
  after: AppConfig,
  looksSecret: Rules["looksSecret"],
): readonly Difference[] {
  const own = settings.map(({ label, write }) => difference(label, write(before), write(after)));
  const others = [
    difference("Port", String(before.exposedPort), String(after.exposedPort)),
    difference("Health path", before.healthPath, after.healthPath),
    difference("Access", before.auth, after.auth),
    difference("Cold start", before.coldStart, after.coldStart),
    difference("Models cache", onOff(before.modelsCache), onOff(after.modelsCache)),
    difference("Early stream", onOff(before.earlyStream), onOff(after.earlyStream)),
    difference("Packages", before.requirements.join(" "), after.requirements.join(" ")),
    difference("Stored secrets", before.secretNames.join(" "), after.secretNames.join(" ")),
  ];
  const names = new Set([...Object.keys(before.environment), ...Object.keys(after.environment)]);
  const variables = [...names].map((name) => {
    const [old, now] = [before.environment[name], after.environment[name]];
    if (old === now || !looksSecret(name)) return difference(name, old, now);
    return { label: name, before: masked(old), after: masked(now) };
  });
  return [...others, ...variables, ...own].filter((entry) => entry !== undefined);
}

function difference(
  label: string,
  before: string | undefined,
  after: string | undefined,
): Difference | undefined {
  if (before === after) return undefined;
  return { label, before: before || undefined, after: after || undefined };
}

function onOff(isOn: boolean | undefined): string {
  return isOn === true ? "on" : "off";
}

function masked(value: string | undefined): string | undefined {
  return value === undefined ? undefined : "(secret)";
}

/**
 * The deployctl command for the answers; undefined as long as the script is not read. A secret's value is
 * never part of it: the command reads it from a variable.
 */
export function commandOf(state: DeployState, { looksSecret }: Rules): string | undefined {
  const { given } = state;
  const base = baseOf(state);
  if (base === undefined) return undefined;
  const profile = profileOf(state);
  const isRun = isEphemeral(given);
  const name = given.name ?? "";
  const auth = authOf(given, base);
  const flags = changedSettings(given, base).flatMap(([{ id, flag, step }, text]) => {
    const isOfCommand = !isRun || step !== "scaling" || id === "maxMultiplexing";
    return isOfCommand ? [flag, quoted(text)] : [];
  });
  const variables = Object.entries(variablesOf(given)).flatMap(([variable, value]) => [
    "--env",
    looksSecret(variable) ? `${variable}="$${variable}"` : quoted(`${variable}=${value}`),
  ]);
  return [
    "deployctl",
    isRun ? "run" : "deploy",
    quoted(referenceOf(given)),
    ...(name === "" ? [] : ["--app-name", quoted(name)]),
    ...(profile === undefined ? [] : ["--profile", quoted(profile)]),
    ...(auth === base.auth ? [] : ["--auth", auth]),
    ...variables,
    ...namesIn(given.secretNames).flatMap((secret) => ["--secret", quoted(secret)]),
    ...(given.imageMode === "pip" ? ["--image-mode", "pip"] : []),
    ...flags,
    ...(given.isStatic === "yes" ? ["--static"] : []),
  ].join(" ");
}

function quoted(word: string): string {
  return /^[\w/.:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
