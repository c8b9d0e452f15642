// Settings of a chat as a table: effective values and their sources.

import { shortText, textWidth } from "../../../text/graphemes.ts";
import { fitText } from "../../../text/text-run.ts";
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
  return [
    promptRow("system prompt", "comes before the conversation", system, model.system),
    promptRow("think", "think before answering", think?.toString()),
    promptRow("format", "json, or a JSON schema", formatText(format)),
    ...parameterFacts.map((parameter): SettingRow => {
      const { name, meaning, usual = automatic, isForLoading } = parameter;
      const set = parameters[name];
      const ofModel = own.get(name);
      const [value, from] =
        set !== undefined
          ? ([valueText(set), "this chat"] as const)
          : ofModel !== undefined
            ? ([ofModel, "the model"] as const)
            : ([usual, "default"] as const);
      return { name, value, from, meaning, group: isForLoading ? "Loading" : "Answer", parameter };
    }),
  ];
}

const valueWidthMaximum = 20;

/** Name, value and origin in columns, for lists whose rows are texts. */
export function tableTexts(rows: readonly SettingRow[]): readonly string[] {
  const cells = rows.map(({ name, value, from }) => ({
    name,
    value: shortText(value, valueWidthMaximum),
    from,
  }));
  const nameWidth = Math.max(...cells.map(({ name }) => name.length));
  const valueWidth = Math.max(...cells.map(({ value }) => textWidth(value)));
  return cells.map(({ name, value, from }) =>
    [name.padEnd(nameWidth), fitText(value, valueWidth, ""), from.padEnd(9)].join("  "),
  );
}

function promptRow(
  name: string,
  meaning: string,
  set: string | undefined,
  ofModel = "",
): SettingRow {
  const common = { name, meaning, group: "Prompt", parameter: undefined } as const;
  if (set !== undefined) return { ...common, value: set, from: "this chat" };
  if (ofModel !== "") return { ...common, value: ofModel, from: "the model" };
  return { ...common, value: name === "think" ? automatic : "none", from: "default" };
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
