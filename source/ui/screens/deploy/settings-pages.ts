// Pages about the replicas: variables, hardware, scaling, timeouts.

import { describeError } from "../../../base/product-error.ts";
import { plural } from "../../../base/quantities.ts";
import { loadedValue } from "../../../client/live/loadable.ts";
import type { AppConfig } from "../../../cloud/app-config.ts";
import type { ReadVariable } from "../../../cloud/inspection/inspection.ts";
import type { ConfigAnswers } from "../../app/cloud-access.ts";
import {
  type AppPlace,
  configAnswersOf,
  namesIn,
  newVariable,
  variablePrefix,
  variablesOf,
} from "./answers.ts";
import { capacityLines } from "./app-pages.ts";
import { type DeployState, placeOf, type ReadScript } from "./deploy-state.ts";
import {
  choiceItem,
  fact,
  hidden,
  type Item,
  type Line,
  line,
  type TextItem,
  textItem,
  warningLine,
} from "./form.ts";
import { presets, type Setting, settings } from "./settings.ts";

export function variablesPage(state: DeployState, { inspection }: ReadScript) {
  const { given, known, rules } = state;
  const read = inspection.env_read;
  const names = new Set(read.map(({ name }) => name));
  const own = Object.keys(variablesOf(given)).filter((name) => !names.has(name));
  const stored = loadedValue(known.secrets)?.map(({ name }) => name);
  const another = textItem(newVariable, "New variable", given[newVariable], {
    placeholder: "NAME=VALUE",
    note: "Enter adds it",
    mask: (text) => {
      const at = text.indexOf("=");
      if (at === -1 || !rules.looksSecret(text.slice(0, at))) return text;
      return text.slice(0, at + 1) + hidden(text.slice(at + 1));
    },
    fault: variableFault,
  });
  const secrets = textItem("secretNames", "Stored secrets", given.secretNames, {
    placeholder: "names, optional",
    note: stored?.length ? `on the server: ${stored.join(", ")}` : "names of secrets on the server",
    fault: (text) => secretsFault(text, stored, placeOf(state)),
  });
  return {
    question: "Which variables should replicas get?",
    items: [
      ...read.map((variable) => variableItem(state, variable)),
      ...own.map((name) => variableItem(state, { name })),
      another,
      secrets,
    ],
    lines: [line("Values with secret-looking names are encrypted and left out of drafts.", "dim")],
  };
}

function variableItem(state: DeployState, variable: ReadVariable): TextItem {
  const { given, rules } = state;
  const { name, required = false } = variable;
  const isSecret = rules.looksSecret(name);
  const value = given[variablePrefix + name] ?? variable.value ?? variable.default;
  const isKept = !variable.set && keptNames(state).includes(name);
  const isNeeded = required && !isKept && !namesIn(given.secretNames).includes(name);
  return textItem(variablePrefix + name, name, value, {
    placeholder: isKept ? "kept" : variable.set ? "from your environment" : "not set",
    ...(isSecret && { mask: hidden }),
    note: [...(isSecret ? ["secret"] : []), ...(required ? ["required"] : [])].join(", "),
    fault: (text) => (isNeeded && text === "" ? "The script needs it to start." : undefined),
  });
}

/** Returns names that the app has from an earlier deployment, and keeps. */
function keptNames({ known }: DeployState): readonly string[] {
  const revision = loadedValue(known.app)?.revision;
  return revision === undefined
    ? []
    : [...(revision.config.givenVariables ?? []), ...revision.secrets];
}

function variableFault(text: string): string | undefined {
  if (text === "" || /^[A-Za-z_][A-Za-z0-9_]{0,127}=/.test(text)) return undefined;
  return "Use NAME=VALUE; a name has letters, digits and underscores.";
}

function secretsFault(
  text: string,
  stored: readonly string[] | undefined,
  { environment, isMain }: AppPlace,
): string | undefined {
  const missing = namesIn(text).find((name) => stored?.includes(name) === false);
  if (missing === undefined) return undefined;
  const command = `deployctl secrets set ${missing}=VALUE`;
  if (isMain) return `No secret ${missing} on the server. Set it with ${command}.`;
  return `No secret ${missing} in ${environment}. Set it with ${command} --environment ${environment}.`;
}

export function resourcesPage(state: DeployState, script: ReadScript) {
  // Another machine type has another number of GPUs.
  const { machineType = script.base.hardware.machineType } = answersOf(state, script);
  const { config } = configOf(state, script, { machineType });
  const hardware = config?.hardware ?? script.base.hardware;
  const packages = script.inspection.image?.pip ?? [];
  const image = choiceItem(
    "imageMode",
    "Image packages",
    state.given.imageMode ?? (script.inspection.dialect === "modal" ? "pip" : "ignore"),
    [
      ["ignore", "skip", "already on the machine"],
      ["pip", "install", packages.join(" ")],
    ],
  );
  const fields = settingItems(state, "resources", { ...script.base, hardware });
  return {
    question: "What does each replica need?",
    items: [...fields, ...(packages.length > 0 ? [image] : [])],
    lines: [...hardwareLines(state, hardware), ...capacityLines(state)],
    fault: configOf(state, script).fault,
  };
}

/** Warns of GPUs that the machine lacks. */
function hardwareLines({ known }: DeployState, hardware: AppConfig["hardware"]): Line[] {
  const { machineType = "any", gpuCount } = hardware;
  const machine = loadedValue(known.capacity);
  const needed = Math.max(gpuCount, /^gpu/i.test(machineType) ? 1 : 0);
  if (machine === undefined || machine.gpus.length >= needed) return [];
  const has = machine.gpus.length || "no GPU";
  return [
    warningLine(`Needs ${plural(needed, "GPU")} (${machineType}); this machine has ${has}.`),
    line("To run on the CPU (slow), set machine type any and 0 GPUs.", "dim", "  "),
  ];
}

export function scalingPage(state: DeployState, script: ReadScript) {
  const fields = settingItems(state, "scaling", script.base);
  const values = Object.fromEntries(fields.map(({ id, value }) => [id, value]));
  const isAsScripted = fields.every(({ value, placeholder }) => value === placeholder);
  const preset = presets.find(({ texts }) =>
    Object.entries(texts).every(([id, text]) => values[id] === text),
  );
  const chosen = isAsScripted ? "script" : (preset?.id ?? "custom");
  const growth: Item = choiceItem("preset", "Preset", chosen, [
    ["script", "Script defaults"],
    ...presets.map(({ id, title, note }) => [id, title, note] as const),
    ...(chosen === "custom" ? [["custom", "Custom"] as const] : []),
  ]);
  const { config, fault } = configOf(state, script);
  return {
    question: "How many replicas should run?",
    items: [growth, ...fields],
    lines: config === undefined ? [] : previewLines(state, config),
    fault,
  };
}

/** Previews replicas and queued requests for some numbers of concurrent requests. */
function previewLines({ rules }: DeployState, { scale }: AppConfig): Line[] {
  const rows = [10, 50, 200].map((demand) => ({ demand, ...rules.previewScale(scale, demand) }));
  const columns = (name: "demand" | "replicas" | "queued") =>
    rows.map((row) => String(row[name]).padStart(7)).join("");
  const waiting = rows.findLast(({ queued }) => queued > 0);
  const lines = [
    fact("requests", columns("demand"), "dim"),
    fact("replicas", columns("replicas")),
    fact("queued", columns("queued")),
  ];
  if (waiting === undefined) return lines;
  const { demand, queued } = waiting;
  const remedy = "Raise max replicas or concurrency.";
  const text = `At ${demand} concurrent requests ${queued} would queue. ${remedy}`;
  return [...lines, warningLine(text)];
}

export function timeoutsPage(state: DeployState, script: ReadScript) {
  return {
    question: "How long may each phase take?",
    items: settingItems(state, "timeouts", script.base),
    lines: [line("Examples: 90s, 15m, 1h30m.", "dim")],
    fault: configOf(state, script).fault,
  };
}

/** Returns the configuration from the answers, or why deployctl rejects it. */
function configOf(
  state: DeployState,
  script: ReadScript,
  more: ConfigAnswers = {},
): { readonly config?: AppConfig; readonly fault?: string } {
  try {
    const answers = { ...answersOf(state, script), ...more };
    return { config: state.rules.config(script.inspection, answers) };
  } catch (error) {
    return { fault: describeError(error) };
  }
}

function answersOf({ given }: DeployState, { base }: ReadScript): ConfigAnswers {
  return configAnswersOf(given, base);
}

function settingItems(state: DeployState, step: Setting["step"], base: AppConfig): TextItem[] {
  return settings
    .filter((setting) => setting.step === step)
    .map(({ id, label, note, write, fault }) =>
      textItem(id, label, state.given[id] ?? write(base), {
        note,
        placeholder: write(base),
        // An empty field keeps the script's value.
        fault: (text) => (text.trim() === "" ? undefined : fault(text.trim())),
      }),
    );
}
