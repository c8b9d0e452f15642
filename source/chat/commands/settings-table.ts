// Settings of a chat as a table: effective values and their sources.

import { shortText, textWidth } from "../../base/graphemes.ts";
import type { ChatSettings } from "../chat-backend.ts";
import { type ParameterFacts, parameterFacts, valueText } from "./model-parameters.ts";

export interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly from: "this chat" | "the model" | "default";
  readonly meaning: string;
  readonly group: "Prompt" | "Answer" | "Loading";
  /** Undefined for a setting that is not a parameter. */
  readonly parameter: ParameterFacts | undefined;
}

/** A model's own settings, as `/show` prints them. */
export interface ModelTexts {
  readonly system: string;
  /** A line for each parameter. */
  readonly parameters: string;
}

/** Value of a setting that the server or the model's template decides. */
const automatic = "automatic";

export function settingRows(
  { system, parameters, think, format }: ChatSettings,
  model: ModelTexts,
): readonly SettingRow[] {
  const own = parametersIn(model.parameters);
  const prompt = { group: "Prompt", parameter: undefined } as const;
  const systemValue = effective(system, model.system || undefined, "none");
  const thinkValue = effective(think?.toString(), undefined, automatic);
  const formatValue = effective(formatText(format), undefined, "none");
  return [
    { ...prompt, name: "system prompt", meaning: "comes before the conversation", ...systemValue },
    { ...prompt, name: "think", meaning: "think before answering", ...thinkValue },
    { ...prompt, name: "format", meaning: "json, or a JSON schema", ...formatValue },
    ...parameterFacts.map((parameter): SettingRow => {
      const { name, meaning, usual = automatic, isForLoading } = parameter;
      const set = parameters[name];
      return {
        name,
        meaning,
        group: isForLoading ? "Loading" : "Answer",
        parameter,
        ...effective(set === undefined ? undefined : valueText(set), own.get(name), usual),
      };
    }),
  ];
}

/** Returns the value in force: the chat's, else the model's, else the usual one. */
function effective(
  set: string | undefined,
  ofModel: string | undefined,
  usual: string,
): Pick<SettingRow, "value" | "from"> {
  if (set !== undefined) return { value: set, from: "this chat" };
  if (ofModel !== undefined) return { value: ofModel, from: "the model" };
  return { value: usual, from: "default" };
}

const valueWidthMaximum = 20;

/** Name, value and origin in columns, for lists whose rows are texts. */
export function tableTexts(rows: readonly SettingRow[]): readonly string[] {
  const values = rows.map(({ value }) => shortText(value, valueWidthMaximum));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const valueWidth = Math.max(...values.map(textWidth));
  return rows.map(({ name, from }, index) => {
    const value = values[index] ?? "";
    const padding = " ".repeat(valueWidth - textWidth(value));
    return [name.padEnd(nameWidth), value + padding, from.padEnd(9)].join("  ");
  });
}

function formatText(format: unknown): string | undefined {
  if (format === undefined || typeof format === "string") return format;
  return "a schema";
}

/** Values by their names; several lines of one name are one value. */
function parametersIn(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, name, value] = /^\s*(\w+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before} ${value}`);
  }
  return values;
}
