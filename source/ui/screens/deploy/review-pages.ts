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
  type Checked,
  type DeployState,
  loadedValue,
  profileOf,
  targetOf,
} from "./deploy-state.ts";
import { blank, errorLine, fact, type Line, line, warningLine, workingLine } from "./form.ts";
import { settings } from "./settings.ts";

export function preflightPage({ known: { checked }, checks }: DeployState) {
  if (checked.kind === "failed") {
    const remedy = line("Esc goes back to the answer that is at fault; r asks again.", "dim");
    return {
      question: "This cannot be deployed",
      lines: [errorLine(checked.sentence), blank, remedy],
      fault: "Nothing can be launched like this.",
    };
  }
  if (checked.kind !== "loaded") {
    const done = checks.flatMap(checkLines);
    return {
      question: "Checking whether it would run",
      lines: [...done, ...(done.length > 0 ? [blank] : []), line("Nothing is sent yet.", "dim")],
      fault: "The checks still run.",
    };
  }
  const { findings } = checked.value;
  const faults = findings.filter(({ kind }) => kind === "fault").length;
  const things = faults === 1 ? "1 thing stands" : `${faults} things stand`;
  const question = faults === 0 ? "It can be launched" : `${things} in the way`;
  return { question, lines: findings.flatMap(findingLines) };
}

const wordWidth = 8;
const findingLooks = {
  ok: { sign: "done", tone: "plain" },
  warning: { sign: "warning", tone: "warning" },
  fault: { sign: "failed", tone: "error" },
} as const;

function checkLines({ subject, findings }: PreflightCheck): Line[] {
  return findings?.flatMap(findingLines) ?? [workingLine(subject, "running".padEnd(wordWidth))];
}

function findingLines({ subject, kind, sentence, hint }: PreflightFinding): Line[] {
  const label = kind.padEnd(wordWidth);
  const finding = { ...findingLooks[kind], label, text: `${subject}: ${sentence}` };
  // A hint begins below the text, behind the sign and its blank.
  return hint === undefined ? [finding] : [finding, line(hint, "key", " ".repeat(2 + wordWidth))];
}

export function reviewPage(state: DeployState) {
  const { given, known } = state;
  const checked = loadedValue(known.checked);
  const base = baseOf(state);
  const command = commandOf(state);
  if (checked === undefined || base === undefined || command === undefined) {
    return { question: "Nothing is checked yet" };
  }
  const isRun = isEphemeral(given);
  const files = `${checked.fileCount} ${checked.fileCount === 1 ? "file" : "files"}`;
  return {
    question: isRun ? "Run this?" : "Deploy this?",
    lines: [
      fact("Script", `${referenceOf(given)} (${files}, ${formatBytes(checked.sizeBytes)})`),
      fact("App", `${given.name || "one is drawn"}, ${authOf(given, base)}`),
      fact("Where", targetOf(state)?.place ?? "this machine"),
      ...checked.warnings.map(warningLine),
      blank,
      line("Against the revision that is active", "title"),
      ...(isRun ? [note("It is run beside all revisions.")] : changeLines(state, checked)),
      blank,
      line("The same as a command (y copies it)", "title"),
      line(command, "code", "  "),
    ],
  };
}

function note(text: string): Line {
  return line(text, "dim", "  ");
}

function changeLines({ known: { app }, rules }: DeployState, checked: Checked): Line[] {
  if (app.kind === "failed") return [warningLine(app.sentence)];
  if (app.kind !== "loaded") return [note("It is being asked for")];
  const { revision, overrides = [] } = app.value ?? {};
  if (revision === undefined) return [note("There is none: this is the first one.")];
  const differences = differencesOf(revision.config, checked.config, rules.looksSecret);
  const isSame = differences.length === 0;
  const same = `Its settings are those of ${revision.revision}; its files may differ.`;
  const kept = `deployctl apps scale has set ${overrides.join(", ")}: that stays.`;
  return [
    note(isSame ? same : revision.revision),
    ...differences.map(({ label, before = "none", after = "none" }) =>
      line(`${label}: ${before} -> ${after}`, "plain", "  "),
    ),
    ...(overrides.length === 0 ? [] : [note(kept)]),
  ];
}

export interface Difference {
  readonly label: string;
  /** Undefined: it was not there. */
  readonly before: string | undefined;
  /** Undefined: it will not be there. */
  readonly after: string | undefined;
}

type Writer = (config: AppConfig) => string | undefined;

/** Settings without a field of their own. */
const otherSettings: readonly (readonly [label: string, write: Writer])[] = [
  ["Port", ({ exposedPort }) => String(exposedPort)],
  ["Health path", ({ healthPath }) => healthPath],
  ["Access", ({ auth }) => auth],
  ["Cold start", ({ coldStart }) => coldStart],
  ["Models cache", ({ modelsCache }) => (modelsCache ? "on" : "off")],
  ["Early stream", ({ earlyStream }) => (earlyStream ? "on" : "off")],
  ["Packages", ({ requirements }) => requirements.join(" ")],
  ["Stored secrets", ({ secretNames }) => secretNames.join(" ")],
];

/** Values of variables that look secret are not shown. */
export function differencesOf(
  before: AppConfig,
  after: AppConfig,
  looksSecret: Rules["looksSecret"],
): readonly Difference[] {
  const names = new Set([...Object.keys(before.environment), ...Object.keys(after.environment)]);
  const variables = [...names].map(
    (name) => [name, ({ environment }: AppConfig) => environment[name]] as const,
  );
  const own = settings.map(({ label, write }) => [label, write] as const);
  return [...otherSettings, ...variables, ...own].flatMap(([label, write]) => {
    const [old, now] = [write(before), write(after)];
    if (old === now) return [];
    const isSecret = names.has(label) && looksSecret(label);
    const shown = (text: string | undefined) =>
      isSecret && text !== undefined ? "(secret)" : text || undefined;
    return [{ label, before: shown(old), after: shown(now) }];
  });
}

/**
 * The deployctl command for the answers; undefined as long as the script is not read. A secret's value is
 * never part of it: the command reads it from a variable.
 */
export function commandOf(state: DeployState): string | undefined {
  const { given, rules } = state;
  const base = baseOf(state);
  if (base === undefined) return undefined;
  const isRun = isEphemeral(given);
  const auth = authOf(given, base);
  const profile = profileOf(state);
  const option = (flag: string, value: string | undefined) => (value ? [flag, quoted(value)] : []);
  const variables = Object.entries(variablesOf(given)).flatMap(([name, value]) => [
    "--env",
    rules.looksSecret(name) ? `${name}="$${name}"` : quoted(`${name}=${value}`),
  ]);
  const flags = changedSettings(given, base).filter(
    ([{ id, step }]) => !isRun || step !== "scaling" || id === "maxMultiplexing",
  );
  return [
    "deployctl",
    isRun ? "run" : "deploy",
    quoted(referenceOf(given)),
    ...option("--app-name", given.name),
    ...option("--profile", profile),
    ...option("--auth", auth === base.auth ? undefined : auth),
    ...variables,
    ...namesIn(given.secretNames).flatMap((secret) => option("--secret", secret)),
    ...option("--image-mode", given.imageMode === "pip" ? "pip" : undefined),
    ...flags.flatMap(([{ flag }, text]) => option(flag, text)),
    ...(given.isStatic === "yes" ? ["--static"] : []),
  ].join(" ");
}

function quoted(word: string): string {
  return /^[\w/.:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
