// Texts of a model's card: licence, Modelfile, and the whole card for the pager.

import { shownModel } from "../../../base/display-text.ts";
import { formatBytes } from "../../../base/formats.ts";
import type { DeletionPlan, ModelDescription } from "../../../client/models-store.ts";
import { plural } from "../../text/quantities.ts";

/** Longer lists are shown as their length. */
const listLengthMaximum = 12;
const textMark = '"""';

/** Returns the licence's short name from the file, otherwise the first line of its text. */
export function licenseName(short: unknown, text: string | undefined): string {
  if (typeof short === "string" && short !== "") return short;
  const line = text?.split("\n").find((candidate) => candidate.trim() !== "");
  return line?.trim() ?? "unknown";
}

/** `From tiny.gguf and 3 more commands; press i to view it`. */
export function modelfileSummary(modelfile: string): string {
  const commands = commandsOf(modelfile);
  const from = commands.find((line) => /^from /i.test(line))?.slice("from ".length) ?? "";
  // Store folders and digests mean nothing to users.
  const file = from.split("/").at(-1) ?? "";
  const own = /^sha256[-:]/.test(file) ? "a local file" : file;
  const base = from.startsWith("/") ? own : shownModel(from);
  const more = commands.filter((line) => !/^from /i.test(line)).length;
  const others = more === 0 ? "" : ` and ${plural(more, "more command")}`;
  return `From ${base.trim()}${others}; press i to view it`;
}

/** Returns the first line of each command of a Modelfile. */
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

/** Describes the space that a deletion frees. */
export function deletionSentence(plan: DeletionPlan): string {
  const { freedBytes, sharedBytes, referredBytes } = plan;
  const parts = [
    `Deleting it frees ${formatBytes(freedBytes)}`,
    ...(sharedBytes > 0 ? [`${formatBytes(sharedBytes)} shared with other models is kept`] : []),
    ...(referredBytes > 0 ? [`${formatBytes(referredBytes)} outside the store is kept`] : []),
  ];
  return `${parts.join("; ")}.`;
}

/** Returns the whole card as plain text. */
export function cardText(model: ModelDescription): string {
  const { name, description, parameters, system, template, modelfile, license, info } = model;
  const sections: [title: string, text: string | undefined][] = [
    [shownModel(name), description],
    ["Parameters", parameters],
    ["System prompt", system],
    ["Template", `from ${template.origin}. ${template.reason}`],
    ["File metadata", infoText(info)],
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
