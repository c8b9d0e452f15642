// A TEMPLATE equivalent to the tiny model's own Jinja template.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GoChatTemplate } from "../../../source/prompt/go-template/go-chat-template.ts";
import type { PromptMessage } from "../../../source/prompt/prompt-template.ts";
import { loadTiny, type Tiny } from "../../support/load-tiny.ts";
import { messagesOf, type Pair, pairs, textPairs } from "../../support/pairs.ts";
import { joined } from "./render.ts";

const start = `<|startoftext|>{{ if .System }}<|im_start|>system
{{ .System }}<|im_end|>
{{ end }}{{ if .Prompt }}<|im_start|>user
{{ .Prompt }}<|im_end|>
{{ end }}<|im_start|>assistant
`;
const rounds = new GoChatTemplate(`${start}{{ .Response }}<|im_end|>\n`);
/** As users write it, without a place for answers. */
const short = new GoChatTemplate(start);
const walking = new GoChatTemplate(`<|startoftext|>
{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`);
const withTools = new GoChatTemplate(`<|startoftext|>
{{- if or .System .Tools }}<|im_start|>system
{{ .System }}
{{- if .Tools }}{{ if .System }}

{{ end }}# Tools
To use a tool, reply with <tool_call>{"name": "tool name", "arguments": {}}</tool_call>
<tools>
{{ range .Tools }}{{ . }}
{{ end }}</tools>
{{- end }}<|im_end|>
{{ end }}
{{- range .Messages }}{{ if ne .Role "system" }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}{{ end }}<|im_start|>assistant
`);

let tiny: Tiny;
beforeAll(async () => {
  tiny = await loadTiny({ slots: 2 });
});
afterAll(async () => {
  await tiny.runner.stop();
});

function conversationOf(pair: Pair) {
  return {
    messages: messagesOf(pair) as PromptMessage[],
    tools: (pair.tools ?? []).map((tool) => tool.function),
  };
}

const jinjaPrompt = (pair: Pair) => tiny.template.render(conversationOf(pair), tiny.facts);

describe("prompts are those of the model's own template, to the byte", () => {
  it.each([
    ["in rounds", rounds],
    ["through .Messages", walking],
  ])("%s", (_, template) => {
    for (const pair of textPairs) {
      expect(template.render(conversationOf(pair), tiny.facts)).toEqual(jinjaPrompt(pair));
    }
  });

  it("without a place for answers, for one question", () => {
    const single = textPairs.filter((pair) => pair.turns.length === 1);
    expect(single.length).toBeGreaterThan(20);
    for (const pair of single) {
      expect(short.render(conversationOf(pair), tiny.facts)).toEqual(jinjaPrompt(pair));
    }
  });

  it("with tools, except for the blanks in their JSON", () => {
    const withoutBlanks = (text: string) =>
      text.replace(/(?<=<tools>\n).*(?=\n<\/tools>)/s, (json) => JSON.stringify(JSON.parse(json)));
    const toolPairs = pairs.filter((pair) => pair.tools !== null);
    expect(toolPairs.length).toBeGreaterThan(3);
    for (const pair of toolPairs) {
      const prompt = joined(withTools.render(conversationOf(pair), tiny.facts));
      expect(withoutBlanks(prompt)).toBe(withoutBlanks(joined(jinjaPrompt(pair))));
    }
  });
});

describe("answers", () => {
  it("through the short template are those of the table, after several turns too", async () => {
    const several = textPairs.filter((pair) => pair.turns.length > 1);
    expect(several.length).toBeGreaterThan(2);
    for (const pair of several) {
      const segments = short.render(conversationOf(pair), tiny.facts);
      const answer = await tiny.ask([], { prompt: { segments }, stop: ["<|im_end|>"] });
      expect(answer.text).toBe(pair.expect);
    }
  });

  it("that have begun are continued", async () => {
    const messages: PromptMessage[] = [
      { role: "user", content: "What is the capital of France?" },
      { role: "assistant", content: "The capital of" },
    ];
    for (const template of [rounds, short, walking, tiny.template]) {
      const segments = template.render({ messages }, tiny.facts);
      const answer = await tiny.ask([], { prompt: { segments } });
      expect(answer.text).toBe(" France is Paris.");
    }
  });
});
