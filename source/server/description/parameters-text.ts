// A model's parameters as text: `num_ctx                        4096`, a line for each value.
import { quotedCharacters } from "../../prompt/go-template/escape-text.ts";

const nameWidth = 30;

/** Prints one line per list element; texts are in Go's quotes. */
export function parametersText(parameters: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(parameters)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, value]) => valuesOf(value).map((item) => line(name, item)));
  return lines.join("\n");
}

function line(name: string, value: unknown): string {
  return `${name.padEnd(nameWidth)} ${valueText(value)}`;
}

function valuesOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function valueText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return `"${quotedCharacters(value, '"', false)}"`;
}
