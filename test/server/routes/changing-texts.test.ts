// Texts that agents change in every request do not reach the model.
import { expect, test } from "vitest";
import {
  withoutChangingText,
  withoutChangingTexts,
} from "../../../source/server/routes/changing-texts.ts";

const text = (words: string, type = "text") => ({ type, text: words });
const billing = "x-anthropic-billing-header: cc_version=2.1.4; cc_entrypoint=cli; cch=5e1f2;";
const counter = "<total_tokens>171204 tokens left</total_tokens>";

test("Claude Code's billing line and token counter are removed", () => {
  expect(withoutChangingText([text(billing), text("Be brief.")])).toEqual([text("Be brief.")]);
  expect(withoutChangingText(`${billing}\n\nBe brief.`)).toBe("Be brief.");
  expect(withoutChangingText([text(billing)])).toBeUndefined();
  expect(withoutChangingText(billing)).toBeUndefined();
  expect(
    withoutChangingTexts([{ role: "user", content: [text("Hello!"), text(`\n${counter}\n`)] }]),
  ).toEqual([{ role: "user", content: [text("Hello!")] }]);
});

test("they are found where gateways put them in OpenAI's routes", () => {
  expect(
    withoutChangingTexts([
      { role: "system", content: billing },
      { role: "system", content: `${billing}\nBe brief.` },
      { type: "message", role: "developer", content: [text(billing, "input_text")] },
      {
        type: "message",
        role: "user",
        content: [text("Hi", "input_text"), text(counter, "input_text")],
      },
    ]),
  ).toEqual([
    { role: "system", content: "Be brief." },
    { type: "message", role: "user", content: [text("Hi", "input_text")] },
  ]);
});

test("similar texts by people are kept", () => {
  const messages = [
    { role: "user", content: `What is ${billing}` },
    { role: "user", content: `${billing}\nWhat is that?` },
    { role: "user", content: [text(`Explain ${counter} to me`)] },
    { role: "user", content: [text(counter)] },
    { role: "user", content: 7 },
    { role: "system", content: undefined },
    { role: "system", content: "" },
    { type: "function_call", call_id: "c1" },
    null,
  ];
  expect(withoutChangingTexts<unknown>(messages)).toEqual(messages);
  const system = [text(`Never print ${billing}`), "odd"];
  expect(withoutChangingText(system)).toEqual(system);
  expect(withoutChangingText("")).toBe("");
  expect(withoutChangingText(undefined)).toBeUndefined();
});
