// What agents change in every request does not reach the model.
import { expect, test } from "vitest";
import { withoutChangingTexts } from "../../../../source/server/routes/anthropic/changing-texts.ts";

const text = (words: string) => ({ type: "text", text: words });
const billing = "x-anthropic-billing-header: cc_version=2.1.4; cc_entrypoint=cli; cch=5e1f2;";
const counter = "<total_tokens>171204 tokens left</total_tokens>";

test("Claude Code's billing line and token counter are left out", () => {
  const question = { role: "user", content: [text("Hello!"), text(`\n${counter}\n`)] };
  expect(
    withoutChangingTexts({ system: [text(billing), text("Be brief.")], messages: [question] }),
  ).toEqual({
    system: [text("Be brief.")],
    messages: [{ role: "user", content: [text("Hello!")] }],
  });
  expect(withoutChangingTexts({ system: `${billing}\n\nBe brief.`, messages: [] }).system).toBe(
    "Be brief.",
  );
  expect(withoutChangingTexts({ system: [text(billing)], messages: [] })).toEqual({ messages: [] });
});

test("what people write of them stays, and so do mistakes", () => {
  const messages = [
    { role: "user", content: `What is ${billing}` },
    { role: "user", content: [text(`Explain ${counter} to me`)] },
    { role: "user", content: [text(counter)] },
    { role: "user", content: 7 },
    null,
  ];
  const prompt = { system: [text(`Never print ${billing}`), "odd"], messages };
  expect(withoutChangingTexts(prompt)).toEqual(prompt);
  expect(withoutChangingTexts({ messages: [] })).toEqual({ messages: [] });
  expect(withoutChangingTexts({ system: "", messages: [] })).toEqual({ system: "", messages: [] });
});
