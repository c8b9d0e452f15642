// The settings of a chat as a form: a list with a question for each row.

import type { ChatSettings } from "../../../../chat/chat-backend.ts";
import {
  type ParameterFacts,
  parseParameter,
  valueText,
} from "../../../../chat/commands/model-parameters.ts";
import {
  type ModelTexts,
  type SettingRow,
  settingRows,
  tableTexts,
} from "../../../../chat/commands/settings-table.ts";
import type { Choice, FrameServices } from "../../../frame/screen.ts";

type Questions = Pick<FrameServices, "ask" | "choose" | "write">;

/** Choice that leaves a setting to the model or the server. */
const unset = "";

/**
 * @param change called with each changed setting
 * @returns when the user closes the list
 */
export async function askChatSettings(
  read: () => ChatSettings,
  change: (settings: ChatSettings) => void,
  model: ModelTexts,
  frame: Questions,
): Promise<void> {
  let selected: string | undefined;
  for (;;) {
    const rows = settingRows(read(), model);
    const texts = tableTexts(rows);
    const choices = rows.map(({ name, meaning, group }, index): Choice => {
      return { value: name, title: texts[index] ?? name, note: meaning, group };
    });
    const form = { selected, isTable: true };
    selected = await frame.choose("Chat settings", choices, form);
    const row = rows.find(({ name }) => name === selected);
    if (row === undefined) return;
    const settings = await askOne(row, read(), frame);
    if (settings !== undefined) change(settings);
  }
}

/** @returns the settings with the answer; undefined without one */
async function askOne(
  row: SettingRow,
  settings: ChatSettings,
  frame: Questions,
): Promise<ChatSettings | undefined> {
  if (row.parameter !== undefined) return await askParameter(row.parameter, settings, frame);
  if (row.name === "system prompt") return await askSystem(row, settings, frame);
  if (row.name === "think") {
    const answer = await choose(row, ["true", "false", "low", "medium", "high", "max"], frame);
    const { think: _, ...rest } = settings;
    if (answer === undefined || answer === unset) return answer === unset ? rest : undefined;
    return { ...rest, think: answer === "true" || (answer !== "false" && answer) };
  }
  const answer = await choose(row, ["json"], frame);
  const { format: _, ...rest } = settings;
  if (answer === undefined) return undefined;
  return answer === unset ? rest : { ...rest, format: answer };
}

/** Starts with the text in force, which may be the model's own. */
async function askSystem(
  { value, from }: SettingRow,
  settings: ChatSettings,
  frame: Questions,
): Promise<ChatSettings | undefined> {
  const before = from === "default" ? "" : value;
  const typed = await frame.write("System prompt (empty: the model's own)", before);
  if (typed === undefined || typed === before) return undefined;
  return { ...settings, system: typed.trim() === "" ? undefined : typed.trim() };
}

async function askParameter(
  { name, meaning, takes, choices }: ParameterFacts,
  settings: ChatSettings,
  frame: Questions,
): Promise<ChatSettings | undefined> {
  const { [name]: before, ...others } = settings.parameters;
  const typed =
    choices === undefined
      ? await frame.ask(
          `${name}: ${meaning} (${takes}; empty: default)`,
          before === undefined ? "" : valueText(before),
          (text) => problemOf(name, text),
        )
      : await choose({ name, meaning }, choices, frame);
  if (typed === undefined) return undefined;
  if (typed.trim() === "") return { ...settings, parameters: others };
  const parsed = parseParameter(`${name} ${typed}`);
  if (!parsed.isValid) return undefined;
  return { ...settings, parameters: { ...settings.parameters, [name]: parsed.value } };
}

function problemOf(name: string, text: string): string | undefined {
  if (text.trim() === "") return undefined;
  const parsed = parseParameter(`${name} ${text}`);
  return parsed.isValid ? undefined : parsed.sentence;
}

async function choose(
  { name, meaning }: Pick<SettingRow, "name" | "meaning">,
  values: readonly string[],
  frame: Questions,
): Promise<string | undefined> {
  return await frame.choose(`${name}: ${meaning}`, [
    ...values.map((value) => ({ value, title: value })),
    { value: unset, title: "default" },
  ]);
}
