// Pages about the script: the source, the findings, run or deploy.

import { formatBytes } from "../../../base/formats.ts";
import { loadedValue } from "../../../client/live/loadable.ts";
import { defaultScript, isEphemeral, referenceOf, scriptOf } from "./answers.ts";
import type { DeployState, Facts, ReadScript } from "./deploy-state.ts";
import {
  blank,
  choiceItem,
  fact,
  type Item,
  type Line,
  line,
  textItem,
  warningLine,
} from "./form.ts";

const visibleNames = 8;

export function scriptPage(state: DeployState) {
  const { given } = state;
  const question = "What do you want to deploy?";
  const source = choiceItem("source", "Deploy", given.source === "model" ? "model" : "script", [
    ["script", "a script", "with a decorated function"],
    ["model", "a local model", "a script is created"],
  ]);
  if (source.value === "model") return { question, ...modelFields(state, source) };
  const script = textItem("script", "Script", given.script, {
    placeholder: "deploy.py",
    note: "Tab completes the path",
    fault: (text) => (text.trim() === "" ? "Enter the path of a Python script." : undefined),
  });
  return { question, items: [source, script], lines: scriptLines(state) };
}

function scriptLines({ known: { scripts }, paths, given }: DeployState): Line[] {
  if (paths.length > 0)
    return [line("Matches:", "dim"), ...paths.slice(0, visibleNames).map(named)];
  if (scripts?.kind === "failed") return [line(scripts.sentence, "warning")];
  if (scripts?.kind !== "loaded") return [];
  if (scripts.value.length === 0) {
    return given.script
      ? []
      : [line("No script to deploy in this folder. Up, then Right deploys a local model.", "dim")];
  }
  const more = scripts.value.length - visibleNames;
  return [
    line("In this folder:", "dim"),
    ...scripts.value.slice(0, visibleNames).map(named),
    ...(more > 0 ? [line(`and ${more} more`, "dim", "  ")] : []),
  ];
}

function named(name: string): Line {
  return line(name, "plain", "  ");
}

function modelFields({ known: { models }, given }: DeployState, source: Item) {
  const found = loadedValue(models) ?? [];
  const [first] = found;
  if (first === undefined) {
    return { items: [source], lines: [noModelLine(models)], fault: "No model to deploy yet." };
  }
  const names = found.map(({ name, sizeBytes }) => [name, name, formatBytes(sizeBytes)] as const);
  const file = textItem("file", "Write to", given.file ?? defaultScript, {
    note: "path of the new script",
    fault: (text) => (/[^/]\.py$/.test(text.trim()) ? undefined : "Use a path that ends in .py."),
  });
  return {
    items: [source, choiceItem("model", "Model", given.model ?? first.name, names), file],
    lines: [line("modelctl serves the model; callers need a key.", "dim")],
  };
}

function noModelLine(models: Facts["models"]): Line {
  if (models?.kind === "failed") return line(models.sentence, "error");
  if (models?.kind !== "loaded") return line("Loading models", "dim");
  return line("No local models. Press Alt+2 to open Models, then p to pull one.", "warning");
}

/** Returns a page of a script that has been read; until then, it has the progress or failure. */
export function scripted<Rest>(
  page: (state: DeployState, script: ReadScript) => Rest & { readonly question: string },
) {
  return (state: DeployState) => {
    const { known, given, work } = state;
    const { script } = known;
    if (script?.kind === "loaded") return page(state, script.value);
    const items = functionItems(state);
    if (script?.kind === "failed") {
      const remedy = "r reads it again; Esc goes back.";
      return {
        question: `Cannot deploy ${scriptOf(given)}`,
        items,
        lines: [line(script.sentence, "error"), blank, line(remedy, "dim")],
        fault: "Fix the script first.",
      };
    }
    return {
      question: `Reading ${referenceOf(given)}`,
      items,
      lines: [line(work ?? "The script is parsed, not executed.", "dim")],
      fault: "The script is still being read.",
    };
  };
}

/** Returns the choice of function, if the script has several. */
export function functionItems({ known, given }: DeployState): readonly Item[] {
  const names = loadedValue(known.functions) ?? [];
  const [first = ""] = names;
  const options = names.map((name) => [name, name] as const);
  return names.length < 2 ? [] : [choiceItem("target", "Function", given.target ?? first, options)];
}

const kinds = {
  function: "a function",
  app: "an app with endpoints",
};

/** Lists what the script serves, and its warnings. */
export function summaryLines({ inspection, base, note }: ReadScript): Line[] {
  const { target, line: at, kind, dialect, warnings } = inspection;
  const by = dialect === "none" ? "" : `, @${dialect}`;
  return [
    fact("Target", `${target}, ${kinds[kind]} (line ${at}${by})`),
    fact("Serves", `port ${base.exposedPort}, ready at ${base.healthPath}`),
    ...(note === undefined ? [] : [line(note, "dim")]),
    ...warnings.map(({ sentence }) => warningLine(sentence)),
  ];
}

export function foundPage({ given }: DeployState, script: ReadScript) {
  const { inspection, base } = script;
  const { executables, endpoints } = inspection;
  const variables = inspection.env_read.map(({ name }) => name);
  return {
    question: `Found in ${scriptOf(given)}`,
    lines: [
      ...summaryLines(script),
      blank,
      fact("Programs", executables.join(", ") || "none"),
      ...(endpoints ? [fact("Paths", endpoints.map(({ path }) => path).join(" "))] : []),
      fact("Variables", variables.join(", ") || "none"),
      fact("Packages", base.requirements.join(", ") || "none"),
      fact("Files", inspection.files.join(", ")),
    ],
  };
}

export function modePage({ given }: DeployState) {
  const mode = choiceItem("mode", "Mode", isEphemeral(given) ? "run" : "deploy", [
    ["deploy", "Deploy", "permanent app with revisions, rollback"],
    ["run", "Run once", "one replica, until you stop it"],
  ]);
  return { question: "How should it run?", items: [mode] };
}
