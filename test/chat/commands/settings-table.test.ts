// Tests that the table shows effective values with their sources, as the server applies them.
// Compares the rows with the engine's defaults.

import { expect, test } from "vitest";
import { settingRows, tableTexts } from "../../../source/chat/commands/settings-table.ts";
import { toSampling } from "../../../source/engine/sampling-defaults.ts";

const nothing = { system: undefined, parameters: {} };
const noTexts = { system: "", parameters: "" };

function shown(...given: Parameters<typeof settingRows>): Record<string, string> {
  return Object.fromEntries(
    settingRows(...given).map(({ name, value, from }) => [name, `${value}, ${from}`]),
  );
}

test("the chat's settings override the model's, which override the defaults", () => {
  const settings = {
    system: undefined,
    parameters: { temperature: 0.3, stop: ["END"] },
    think: false,
  };
  const model = { system: "You are kind.", parameters: 'temperature  0.7\nstop  "<a>"\ntop_k 7' };
  expect(shown(settings, model)).toMatchObject({
    "system prompt": "You are kind., the model",
    think: "false, this chat",
    temperature: "0.3, this chat",
    stop: '"END", this chat',
    top_k: "7, the model",
    top_p: "0.9, default",
    num_ctx: "automatic, default",
  });
});

test("the defaults are the engine's", () => {
  const { temperature, topK, topP, minP, repeatPenalty, repeatLastN } = toSampling({}, []);
  expect(shown(nothing, noTexts)).toMatchObject({
    temperature: `${temperature}, default`,
    top_k: `${topK}, default`,
    top_p: `${topP}, default`,
    min_p: `${minP}, default`,
    repeat_penalty: `${repeatPenalty}, default`,
    repeat_last_n: `${repeatLastN}, default`,
  });
});

test("names, values and origins are aligned, even with a long value", () => {
  const [system, think] = tableTexts(
    settingRows({ ...nothing, system: "Be brief.\nAlways answer in French." }, noTexts),
  );
  expect(system).toBe("system prompt      Be brief. Always ...  this chat");
  expect(think).toBe("think              automatic             default  ");
});
