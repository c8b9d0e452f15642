// Pages about the replicas: their variables, hardware, number and times.

import { describeError } from "../../../base/product-error.ts";
import type { AppConfig } from "../../../cloud/app-config.ts";
import { configAnswersOf, namesIn, type Rules, variablePrefix, variablesOf } from "./answers.ts";
import { capacityLines } from "./app-pages.ts";
import {
  baseOf,
  type DeployState,
  loadedValue,
  type PageContext,
  type ReadScript,
} from "./deploy-state.ts";
import {
  fact,
  hidden,
  type Item,
  type Line,
  line,
  type Page,
  type TextItem,
  warningLine,
} from "./form.ts";
import { presets, type Setting, settings } from "./settings.ts";

/** Requests at a time that the scaling is previewed for. */
const previewDemands = [10, 50, 200];

/** The field for a variable that the script does not read. */
export const newVariable = "newVariable";

/** Where the script is not read, nothing is known that could be asked about. */
function unreadPage({ known, work }: DeployState): Page {
  return known.script.kind === "failed"
    ? {
        question: "The script cannot be read",
        items: [],
        lines: [line(known.script.sentence, "error"), line("r reads it again.", "dim")],
      }
    : {
        question: "Reading the script",
        items: [],
        lines: [line(work ?? "It is parsed, not executed.", "dim")],
      };
}

export function variablesPage(state: DeployState, { rules }: PageContext): Page {
  const script = loadedValue(state.known.script);
  if (script === undefined) return unreadPage(state);
  const { env_read: read } = script.inspection;
  const names = new Set(read.map(({ name }) => name));
  const own = Object.keys(variablesOf(state.given)).filter((name) => !names.has(name));
  const stored = loadedValue(state.known.secrets) ?? [];
  const items: Item[] = [
    ...read.map((variable) => variableItem(state, rules, variable.name, variable)),
    ...own.map((name) => variableItem(state, rules, name, {})),
    {
      kind: "text",
      id: newVariable,
      label: "Another",
      value: state.given[newVariable] ?? "",
      placeholder: "NAME=VALUE",
      note: "Enter adds it",
      mask: (text) => hiddenValue(text, rules.looksSecret),
    },
    {
      kind: "text",
      id: "secretNames",
      label: "Stored secrets",
      value: state.given.secretNames ?? "",
      placeholder: "names, if any",
      note:
        stored.length > 0
          ? `the server has ${stored.map(({ name }) => name).join(", ")}`
          : "of the server, by their names",
    },
  ];
  return {
    question: "What should its replicas find in their environment?",
    items,
    lines: [line("Values whose names look secret are encrypted, and in no draft.", "dim")],
  };
}

function variableItem(
  { given }: DeployState,
  { looksSecret }: Rules,
  name: string,
  read: { value?: string; default?: string; set?: boolean; required?: boolean },
): TextItem {
  const isSecret = looksSecret(name);
  const usual = read.value ?? read.default ?? "";
  const placeholder = read.set ? "as in your environment" : "not set";
  return {
    kind: "text",
    id: variablePrefix + name,
    label: name,
    value: given[variablePrefix + name] ?? usual,
    placeholder,
    ...(isSecret && { mask: hidden }),
    note: [isSecret ? "secret" : "", read.required ? "needed" : ""]
      .filter((word) => word !== "")
      .join(", "),
  };
}

/** `NAME=` stays, the value goes. */
function hiddenValue(text: string, looksSecret: Rules["looksSecret"]): string {
  const at = text.indexOf("=");
  if (at === -1 || !looksSecret(text.slice(0, at))) return text;
  return text.slice(0, at + 1) + hidden(text.slice(at + 1));
}

/** @returns why a text is no variable with its value */
export function variableFault(text: string): string | undefined {
  if (text === "") return undefined;
  return /^[A-Za-z_][A-Za-z0-9_]{0,127}=/.test(text)
    ? undefined
    : "Use NAME=VALUE; a name has letters, digits and underscores.";
}

/** @returns why names of stored secrets are refused */
export function secretsFault({ known }: DeployState, text: string): string | undefined {
  const stored = loadedValue(known.secrets);
  const missing = namesIn(text).find(
    (name) => stored !== undefined && !stored.some((secret) => secret.name === name),
  );
  return missing === undefined
    ? undefined
    : `The server has no secret ${missing}. deployctl secrets set ${missing}=VALUE stores it.`;
}

export function resourcesPage(state: DeployState, { rules }: PageContext): Page {
  const script = loadedValue(state.known.script);
  if (script === undefined) return unreadPage(state);
  const hardware = hardwareOf(state, rules, script);
  const packages = script.inspection.image?.pip ?? [];
  const image: Item[] =
    packages.length === 0
      ? []
      : [
          {
            kind: "choice",
            id: "imageMode",
            label: "Image packages",
            value: state.given.imageMode === "pip" ? "pip" : "ignore",
            options: [
              { value: "ignore", title: "leave out", note: "they are on the machine" },
              { value: "pip", title: "install", note: packages.join(" ") },
            ],
          },
        ];
  return {
    question: "What does one replica need?",
    items: [...settingItems(state, "resources", { ...script.base, hardware }), ...image],
    lines: [...hardwareLines(state, hardware), ...capacityLines(state)],
  };
}

/** Hardware that the answers ask for: another machine type has another number of GPUs. */
function hardwareOf(state: DeployState, rules: Rules, { inspection, base }: ReadScript) {
  if (configFault(state, rules) !== undefined) return base.hardware;
  const { machineType = base.hardware.machineType, ...answers } = configAnswersOf(
    state.given,
    base,
  );
  return rules.config(inspection, { ...answers, machineType }).hardware;
}

/** Warns of GPUs that the machine lacks. */
function hardwareLines({ known }: DeployState, hardware: AppConfig["hardware"]): Line[] {
  const { machineType = "any", gpuCount } = hardware;
  const machine = loadedValue(known.capacity);
  const needed = Math.max(gpuCount, /^gpu/i.test(machineType) ? 1 : 0);
  if (machine === undefined || machine.gpus.length >= needed) return [];
  const has = machine.gpus.length === 0 ? "no GPU" : `${machine.gpus.length}`;
  return [
    warningLine(`It asks for ${needed} of ${machineType}; this machine has ${has}.`),
    line("The machine type any with 0 GPUs takes the processor, which is slow.", "dim", "  "),
  ];
}

export function scalingPage(state: DeployState, { rules }: PageContext): Page {
  const script = loadedValue(state.known.script);
  if (script === undefined) return unreadPage(state);
  const fields = settingItems(state, "scaling", script.base);
  const texts = new Map(fields.map(({ id, value }) => [id, value]));
  const isSame = (wanted: Readonly<Record<string, string>>) =>
    Object.entries(wanted).every(([id, text]) => texts.get(id) === text);
  const scripted = Object.fromEntries(
    settings
      .filter(({ step }) => step === "scaling")
      .map(({ id, write }) => [id, write(script.base)]),
  );
  const preset = isSame(scripted)
    ? "script"
    : (presets.find((entry) => isSame(entry.texts))?.id ?? "custom");
  const choice: Item = {
    kind: "choice",
    id: "preset",
    label: "Growth",
    value: preset,
    options: [
      { value: "script", title: "As the script says", note: "" },
      ...presets.map(({ id, title, note }) => ({ value: id, title, note })),
      ...(preset === "custom" ? [{ value: "custom", title: "Your own", note: "" }] : []),
    ],
  };
  return {
    question: "How many replicas should answer requests?",
    items: [choice, ...fields],
    lines: previewLines(state, rules),
  };
}

function previewLines(state: DeployState, rules: Rules): Line[] {
  const script = loadedValue(state.known.script);
  const base = baseOf(state);
  if (script === undefined || base === undefined) return [];
  const fault = configFault(state, rules);
  if (fault !== undefined) return [];
  const { scale } = rules.config(script.inspection, configAnswersOf(state.given, base));
  const rows = previewDemands.map((demand) => ({ demand, ...rules.previewScale(scale, demand) }));
  const column = (text: string | number) => String(text).padStart(7);
  const waiting = rows.findLast(({ queued }) => queued > 0);
  return [
    { ...fact("requests", rows.map(({ demand }) => column(demand)).join("")), tone: "dim" },
    fact("replicas", rows.map(({ replicas }) => column(replicas)).join("")),
    fact("waiting", rows.map(({ queued }) => column(queued)).join("")),
    ...(waiting === undefined
      ? []
      : [
          warningLine(
            `At ${waiting.demand} requests ${waiting.queued} would wait: more replicas, or more at a time, help.`,
          ),
        ]),
  ];
}

export function timeoutsPage(state: DeployState): Page {
  const base = baseOf(state);
  if (base === undefined) return unreadPage(state);
  return {
    question: "How long may things take?",
    items: settingItems(state, "timeouts", base),
    lines: [line("Such as 90s, 15m or 1h30m.", "dim")],
  };
}

/** @returns what deployctl says against the configuration as a whole */
export function configFault(state: DeployState, rules: Rules): string | undefined {
  const script = loadedValue(state.known.script);
  if (script === undefined) return undefined;
  try {
    rules.config(script.inspection, configAnswersOf(state.given, script.base));
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

function settingItems(state: DeployState, step: Setting["step"], base: AppConfig): TextItem[] {
  return settings
    .filter((setting) => setting.step === step)
    .map(({ id, label, note, write }) => ({
      kind: "text",
      id,
      label,
      note,
      value: state.given[id] ?? write(base),
      placeholder: write(base),
    }));
}
