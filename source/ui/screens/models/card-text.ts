// Texts of a model's card: licence, Modelfile, and the whole card for the pager.

import { shownModel } from "../../../base/display-text.ts";
import { formatBytes } from "../../../base/formats.ts";
import { plural } from "../../../base/quantities.ts";
import type { DeletionPlan, ModelDescription } from "../../../client/models-store.ts";

/** Longer lists are shown as their length. */
const listLengthMaximum = 12;

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

/** A command's name, its key if it has one, and the quotes that open its value. */
const quotedCommand = /^\s*(?:(?:parameter|message)\s+\S+|\S+)\s+("""|")/i;

/** Returns the first line of each command of a Modelfile; quoted values may go on for lines. */
function commandsOf(modelfile: string): readonly string[] {
  const commands: string[] = [];
  let quotes: string | undefined;
  for (const line of modelfile.split("\n")) {
    let value = line;
    if (quotes === undefined) {
      if (line.trim() === "" || line.startsWith("#")) continue;
      commands.push(line);
      const opening = quotedCommand.exec(line);
      quotes = opening?.[1];
      value = line.slice(opening?.[0].length);
    }
    if (quotes !== undefined && value.trimEnd().endsWith(quotes)) quotes = undefined;
  }
  return commands;
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
