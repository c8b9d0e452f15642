// The texts of a model's card: its licence, its Modelfile, and the whole card for the pager.

import { formatBytes } from "../../../base/byte-format.ts";
import { shownModel } from "../../../base/model-tag.ts";
import type { DeletionPlan, ModelDescription } from "../../../client/models-store.ts";

/** Longer lists are shown as their length. */
const listLengthMaximum = 12;
const textMark = '"""';

/** The short name where the file has one, else the first line of the text. */
export function licenseName(short: unknown, text: string | undefined): string {
  if (typeof short === "string" && short !== "") return short;
  const line = text?.split("\n").find((candidate) => candidate.trim() !== "");
  return line?.trim() ?? "not told";
}

/** `From tiny.gguf and 3 more commands; i shows the Modelfile`. */
export function modelfileSummary(modelfile: string): string {
  const commands = commandsOf(modelfile);
  const from = commands.find((line) => /^from /i.test(line))?.slice("from ".length) ?? "";
  // A path's folders are the store's.
  const base = from.startsWith("/") ? (from.split("/").at(-1) ?? "") : shownModel(from);
  const more = commands.filter((line) => !/^from /i.test(line)).length;
  const others = more === 0 ? "" : ` and ${more} more ${more === 1 ? "command" : "commands"}`;
  return `From ${base.trim()}${others}; i shows the Modelfile`;
}

/** The first lines of a Modelfile's commands. */
function commandsOf(modelfile: string): readonly string[] {
  const lines: string[] = [];
  let isInText = false;
  for (const line of modelfile.split("\n")) {
    const hasOddMark = line.split(textMark).length % 2 === 0;
    if (!isInText && line.trim() !== "" && !line.startsWith("#")) lines.push(line);
    if (hasOddMark) isInText = !isInText;
  }
  return lines;
}

/** Says before a deletion, and on the card, what it frees. */
export function deletionSentence(plan: DeletionPlan): string {
  const { freedBytes, sharedBytes, referredBytes } = plan;
  const parts = [
    `Deleting it frees ${formatBytes(freedBytes)}`,
    ...(sharedBytes > 0 ? [`${formatBytes(sharedBytes)} stay for other models`] : []),
    ...(referredBytes > 0
      ? [`a file of ${formatBytes(referredBytes)} outside the store stays`]
      : []),
  ];
  return `${parts.join("; ")}.`;
}

/** The whole card as plain text, for the pager. */
export function cardText(model: ModelDescription): string {
  const { name, description, parameters, system, template, modelfile, license, info } = model;
  const sections: [title: string, text: string | undefined][] = [
    [shownModel(name), description],
    ["Parameters", parameters],
    ["System", system],
    ["Template", `from ${template.origin}. ${template.reason}`],
    ["Facts of the file", infoText(info)],
    ["Modelfile", modelfile],
    ["Licence", license],
  ];
  return sections
    .flatMap(([title, text]) => (text === undefined ? [] : [`${title}\n\n${indent(text)}\n`]))
    .join("\n");
}

function infoText(info: Readonly<Record<string, unknown>>): string {
  return Object.entries(info)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}  ${valueText(value)}`)
    .join("\n");
}

function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.length > listLengthMaximum) return `${value.length} values`;
  return JSON.stringify(value);
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? line : `  ${line}`))
    .join("\n");
}
