// Pages of the first steps: which script, the findings in it, run or deploy.

import { formatBytes } from "../../../base/byte-format.ts";
import type { Inspection } from "../../../cloud/inspection/inspection.ts";
import { defaultScript, isEphemeral, referenceOf, scriptOf } from "./answers.ts";
import { type DeployState, loadedValue, type ReadScript } from "./deploy-state.ts";
import { blank, fact, type Item, type Line, line, type Page, warningLine } from "./form.ts";

const namesInSight = 8;

export function scriptPage(state: DeployState): Page {
  const { given } = state;
  const isModel = given.source === "model";
  const source: Item = {
    kind: "choice",
    id: "source",
    label: "Deploy",
    value: isModel ? "model" : "script",
    options: [
      { value: "script", title: "a script", note: "Python, with a decorated function" },
      { value: "model", title: "a local model", note: "a script is made for it" },
    ],
  };
  const question = "What should answer requests?";
  return isModel
    ? { question, items: [source, ...modelItems(state)], lines: modelLines(state) }
    : { question, items: [source, pathItem(state)], lines: scriptLines(state) };
}

function pathItem({ given }: DeployState): Item {
  return {
    kind: "text",
    id: "script",
    label: "Script",
    value: given.script ?? "",
    placeholder: "deploy.py",
    note: "Tab completes a path",
  };
}

function scriptLines({ known, paths, given }: DeployState): Line[] {
  if (paths.length > 0) {
    return [line("These fit:", "dim"), ...paths.slice(0, namesInSight).map((name) => named(name))];
  }
  const found = loadedValue(known.scripts);
  if (found === undefined) {
    return known.scripts.kind === "failed" ? [line(known.scripts.sentence, "warning")] : [];
  }
  if (found.length === 0) {
    return (given.script ?? "") === ""
      ? [line("There is no script to deploy in this folder. A local model gets one made.", "dim")]
      : [];
  }
  const more = found.length - namesInSight;
  return [
    line("In this folder:", "dim"),
    ...found.slice(0, namesInSight).map(named),
    ...(more > 0 ? [line(`and ${more} more`, "dim", "  ")] : []),
  ];
}

function modelItems({ known, given }: DeployState): Item[] {
  const models = loadedValue(known.models) ?? [];
  const file: Item = {
    kind: "text",
    id: "file",
    label: "Write to",
    value: given.file ?? defaultScript,
    note: "the script that serves it",
  };
  if (models.length === 0) return [];
  const options = models.map(({ name, sizeBytes }) => ({
    value: name,
    title: name,
    note: formatBytes(sizeBytes),
  }));
  const value = given.model ?? options[0]?.value ?? "";
  return [{ kind: "choice", id: "model", label: "Model", value, options }, file];
}

function modelLines({ known }: DeployState): Line[] {
  const { models } = known;
  switch (models.kind) {
    case "loaded":
      return models.value.length > 0
        ? [line("It is served by modelctl itself, behind a key.", "dim")]
        : [line("No model is on this machine yet: 2 opens Models, p pulls one.", "warning")];
    case "failed":
      return [line(models.sentence, "error")];
    default:
      return [line("Looking for models", "dim")];
  }
}

export function foundPage(state: DeployState): Page {
  const { known, given } = state;
  const { script } = known;
  const names = loadedValue(known.functions) ?? [];
  const choices: Item[] =
    names.length < 2
      ? []
      : [
          {
            kind: "choice",
            id: "target",
            label: "Function",
            value: given.target ?? names[0] ?? "",
            options: names.map((name) => ({ value: name, title: name, note: "" })),
          },
        ];
  const file = scriptOf(given);
  if (script.kind === "loaded") {
    return { question: `Found in ${file}`, items: choices, lines: foundLines(script.value) };
  }
  if (script.kind === "failed") {
    const remedy = "r reads it again, Esc goes back to another one.";
    return {
      question: `${file} cannot be deployed as it is`,
      items: choices,
      lines: [line(script.sentence, "error"), blank, line(remedy, "dim")],
    };
  }
  return {
    question: `Reading ${referenceOf(given)}`,
    items: choices,
    lines: [line(state.work ?? "It is parsed, not executed.", "dim")],
  };
}

function foundLines({ inspection, base, note }: ReadScript): Line[] {
  const { target, line: at, kind, dialect, files, executables, endpoints, warnings } = inspection;
  const words = {
    function: "a function",
    app: "an app of endpoints",
    "modal-function": "a function for Modal",
    "modal-cls": "a class for Modal",
  };
  const by = dialect === "none" ? "" : `, by @${dialect}`;
  return [
    fact("What", `${target}, ${words[kind]} (line ${at}${by})`),
    fact("Serves", `port ${base.exposedPort}, ready at ${base.healthPath}`),
    fact("Calls", executables.join(", ") || "no program that could be missing"),
    ...(endpoints === undefined
      ? []
      : [fact("Paths", endpoints.map(({ path }) => path).join(" "))]),
    fact("Reads", variableNames(inspection) || "no variable"),
    fact("Packages", base.requirements.join(", ") || "none to install"),
    fact("Takes", files.join(", ")),
    ...(note === undefined ? [] : [blank, line(note, "dim")]),
    ...(warnings.length > 0 ? [blank] : []),
    ...warnings.map(({ sentence }) => warningLine(sentence)),
  ];
}

function variableNames({ env_read: variables }: Inspection): string {
  return variables.map(({ name }) => name).join(", ");
}

export function modePage({ given }: DeployState): Page {
  return {
    question: "What should become of it?",
    items: [
      {
        kind: "choice",
        id: "mode",
        label: "Mode",
        value: isEphemeral(given) ? "run" : "deploy",
        options: [
          { value: "deploy", title: "Deploy", note: "an app that stays: revisions, a way back" },
          { value: "run", title: "Run once", note: "one replica, until you stop it" },
        ],
      },
    ],
    lines: [],
  };
}

function named(name: string): Line {
  return line(name, "plain", "  ");
}
