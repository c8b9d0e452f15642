// Pages before the launch: the checks, and the review with its differences and its command.

import { formatBytes } from "../../../base/formats.ts";
import { plural } from "../../../base/quantities.ts";
import { quoteForShell } from "../../../base/quoting.ts";
import { loadedValue } from "../../../client/live/loadable.ts";
import type { AppConfig } from "../../../cloud/app-config.ts";
import type { PreflightCheck, PreflightFinding } from "../../app/cloud-access.ts";
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
  type PreflightResult,
  placeOf,
  profileOf,
  type ReadScript,
  targetOf,
} from "./deploy-state.ts";
import { blank, errorLine, fact, type Line, line, warningLine, workingLine } from "./form.ts";
import { settings } from "./settings.ts";

/** Lists every check with its result. */
export function preflightPage(state: DeployState) {
  const { known, checks } = state;
  return {
    question: checksQuestion(state),
    lines:
      known.checked?.kind === "failed"
        ? [errorLine(known.checked.sentence)]
        : (loadedValue(known.checked)?.findings.flatMap(findingLines) ??
          checks.flatMap(checkLines)),
    fault: checksFault(state),
  };
}

function checksQuestion({ known: { checked } }: DeployState): string {
  if (checked?.kind === "failed") return "The checks failed";
  if (checked?.kind !== "loaded") return "Running the checks";
  const faults = checked.value.findings.filter(({ kind }) => kind === "fault").length;
  return faults === 0 ? "Ready to launch" : `${plural(faults, "problem")} to fix`;
}

function checksFault({ known: { checked } }: DeployState): string | undefined {
  if (checked?.kind === "loaded") return undefined;
  return checked?.kind === "failed"
    ? "Cannot launch until the checks pass."
    : "The checks are still running.";
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

/** @param wrong blocks the launch, even if the checks pass */
export function reviewPage(
  state: DeployState,
  { base }: ReadScript,
  wrong: { readonly sentence: string } | undefined,
) {
  const { given, known } = state;
  const checked = loadedValue(known.checked);
  const size =
    checked === undefined
      ? ""
      : ` (${plural(checked.fileCount, "file")}, ${formatBytes(checked.sizeBytes)})`;
  return {
    question: checksQuestion(state),
    lines: [
      fact("Script", referenceOf(given) + size),
      fact("App", `${placeOf(state).app || "named like the script"}, ${authOf(given, base)}`),
      fact("Server", targetOf(state)?.place ?? "this machine"),
      ...(wrong === undefined ? [] : [errorLine(wrong.sentence)]),
      ...checksLines(state),
      ...(checked?.warnings.map(warningLine) ?? []),
      blank,
      ...(checked === undefined
        ? []
        : [line("Changes to the active revision", "title"), ...changeLines(state, checked), blank]),
      line("Equivalent command (y copies it)", "title"),
      line(commandOf(state) ?? "", "code", "  "),
    ],
    fault: wrong === undefined ? checksFault(state) : "Press f to fix the answer.",
  };
}

/** Counts the checks that passed, and lists the others. */
function checksLines({ known: { checked }, checks }: DeployState): Line[] {
  if (checked?.kind === "failed") return [errorLine(checked.sentence)];
  const findings =
    loadedValue(checked)?.findings ?? checks.flatMap(({ findings }) => findings ?? []);
  const passed = findings.filter(({ kind }) => kind === "ok").length;
  const running = checks.filter(({ findings }) => findings === undefined);
  const names = running.map(({ subject }) => subject).join(", ");
  return [
    checked?.kind === "loaded"
      ? fact("Checks", `${passed} passed`)
      : workingLine(`${passed} passed; checking ${names || "the script"}`),
    ...findings.filter(({ kind }) => kind !== "ok").flatMap(findingLines),
  ];
}

function note(text: string): Line {
  return line(text, "dim", "  ");
}

/** Lists what the launch would change in the active revision. */
function changeLines(
  { given, known: { app }, rules }: DeployState,
  { config, kept, secrets }: PreflightResult,
): Line[] {
  if (isEphemeral(given)) return [note("A one-time run changes no revision.")];
  if (app?.kind === "failed") return [warningLine(app.sentence)];
  if (app?.kind !== "loaded") return [note("Loading")];
  const { revision, overrides = [] } = app.value ?? {};
  const keptLine = kept.length === 0 ? [] : [note(`Kept: ${kept.join(", ")}.`)];
  if (revision === undefined) return [note("None: this is the first revision."), ...keptLine];
  const after = [...secrets, ...revision.secrets.filter((name) => kept.includes(name))];
  const differences = [
    ...differencesOf(revision.config, config, rules.looksSecret),
    ...secretDifferences(revision.secrets, after, secrets),
  ];
  const isSame = differences.length === 0;
  const same = `Same settings as ${revision.revision}; the files may differ.`;
  const scale = `Kept from deployctl apps scale: ${overrides.join(", ")}.`;
  return [
    note(isSame ? same : revision.revision),
    ...differences.map(({ label, before = "none", after = "none" }) =>
      line(`${label}: ${before} -> ${after}`, "plain", "  "),
    ),
    ...keptLine,
    ...(overrides.length === 0 ? [] : [note(scale)]),
  ];
}

/** Compares secrets by name, as the values of the active revision are not known here. */
function secretDifferences(
  before: readonly string[],
  after: readonly string[],
  set: readonly string[],
) {
  const names = [...new Set([...before, ...after])].sort();
  return names
    .filter((name) => set.includes(name) || !after.includes(name))
    .map((name) => ({
      label: name,
      before: before.includes(name) ? "(secret)" : undefined,
      after: !after.includes(name)
        ? undefined
        : before.includes(name)
          ? "(secret, set again)"
          : "(secret)",
    }));
}

type Writer = (config: AppConfig) => string | undefined;

/** Settings without a field. */
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

/** Compares two configurations; absent values are undefined, and those of secrets hidden. */
export function differencesOf(
  before: AppConfig,
  after: AppConfig,
  looksSecret: Rules["looksSecret"],
) {
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
 * Returns the deployctl command for the answers; undefined until the script is read. The command reads
 * secrets from variables and never contains their values.
 */
export function commandOf(state: DeployState): string | undefined {
  const { given, rules } = state;
  const base = baseOf(state);
  if (base === undefined) return undefined;
  const isRun = isEphemeral(given);
  const auth = authOf(given, base);
  const profile = profileOf(state);
  const option = (flag: string, value: string | undefined) =>
    value ? [flag, quoteForShell(value)] : [];
  const variables = Object.entries(variablesOf(given)).flatMap(([name, value]) => [
    "--env",
    rules.looksSecret(name) ? `${name}="$${name}"` : quoteForShell(`${name}=${value}`),
  ]);
  const flags = changedSettings(given, base).filter(
    ([{ id, step }]) => !isRun || step !== "scaling" || id === "maxMultiplexing",
  );
  return [
    "deployctl",
    isRun ? "run" : "deploy",
    quoteForShell(referenceOf(given)),
    ...option("--app-name", given.name),
    ...option("--environment", given.environment ?? targetOf(state)?.environment),
    ...option("--profile", profile),
    ...option("--auth", auth === base.auth ? undefined : auth),
    ...variables,
    ...namesIn(given.secretNames).flatMap((secret) => option("--secret", secret)),
    ...option("--image-mode", given.imageMode),
    ...flags.flatMap(([{ flag }, text]) => option(flag, text)),
    ...(given.isStatic === "yes" ? ["--static"] : []),
    ...(loadedValue(state.known.checked)?.secretsQuestion === undefined ? [] : ["--keep-secrets"]),
  ].join(" ");
}
