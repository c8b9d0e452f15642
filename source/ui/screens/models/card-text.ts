// The whole card of a model as plain text, for the pager.

import type { ModelDescription } from "../../../client/models-store.ts";

/** Lists that are longer say how many there are. */
const longestList = 12;

export function cardText({
  name,
  description,
  parameters,
  system,
  template,
  modelfile,
  license,
  info,
}: ModelDescription): string {
  const sections: [title: string, text: string | undefined][] = [
    [name, description],
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
  if (Array.isArray(value) && value.length > longestList) return `${value.length} values`;
  return JSON.stringify(value);
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? line : `  ${line}`))
    .join("\n");
}
