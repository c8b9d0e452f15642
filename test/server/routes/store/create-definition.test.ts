// Warnings name each field of a create request that has no effect.
import { expect, test } from "vitest";
import { GoChatTemplate } from "../../../../source/prompt/go-template/go-chat-template.ts";
import { createWarnings } from "../../../../source/server/routes/store/create-definition.ts";

test("each field without effect has a warning", () => {
  const body = {
    renderer: "some",
    parser: "other",
    parameters: { typical_p: 0.5, temprature: 1, mirostat: 2 },
    messages: [{ role: "user", content: "What is this?", images: ["aGk="] }],
  };
  const template = new GoChatTemplate("{{ .System }}\n{{ .Promt }}");
  expect(createWarnings(body, { template, otherNames: ["temprature", "mirostat"] })).toEqual([
    "template line 2, column 4: the TEMPLATE uses .Promt, which does not exist and prints nothing. Did you mean .Prompt?",
    "renderer is kept, but has no effect here: prompts follow the TEMPLATE, or the model's own template.",
    "parser is kept, but has no effect here: the template decides how answers are parsed.",
    "parameter typical_p is kept, but has no effect here: this engine has no such sampler; min_p is similar.",
    'parameter "temprature" is kept, but has no effect here: there is no such parameter. Did you mean temperature?',
    'parameter "mirostat" is kept, but has no effect here: it no longer exists.',
    "messages.0: images not kept: a model only keeps text.",
  ]);
});

test("fields with an effect have none", () => {
  const body = {
    renderer: "",
    parameters: { typical_p: 1, top_k: 3 },
    messages: [{ role: "user", content: "Hello!" }],
  };
  const template = new GoChatTemplate("{{ .System }} {{ .Prompt }}");
  expect(createWarnings(body, { template, otherNames: [] })).toEqual([]);
  expect(createWarnings({}, { template: undefined, otherNames: [] })).toEqual([]);
});
