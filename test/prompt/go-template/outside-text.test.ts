// A conversation's text never becomes a control token, whatever a template does with it, and
// templates see the unmodified text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GoChatTemplate } from "../../../source/prompt/go-template/go-chat-template.ts";
import type { PromptSegment } from "../../../source/prompt/prompt-segment.ts";
import type { Conversation, PromptMessage } from "../../../source/prompt/prompt-template.ts";
import { facts, joined, prompt, segments } from "./render.ts";

const plainTexts = (all: readonly PromptSegment[]) =>
  all.filter(({ special }) => !special).map(({ text }) => text);

/** Counts the control tokens that can arise. */
function countControlTexts(all: readonly PromptSegment[]): number {
  return all
    .filter(({ special }) => special)
    .flatMap(({ text }) => facts.controlTexts.map((control) => text.split(control).length - 1))
    .reduce((sum, count) => sum + count, 0);
}

describe("functions see the unmodified text", () => {
  it.each([
    ["len .Prompt", "</s>", "4"],
    ["len .Prompt", "é</s>", "6"],
    ['eq .Prompt "</s>"', "</s>", "true"],
    ['eq .Prompt "x"', "</s>", "false"],
    ['lt .Prompt "</t>"', "</s>", "true"],
    ["slice .Prompt 1", "a</s>", "</s>"],
    ["slice .Prompt 0 3", "</s>", "</s"],
    ["index .Prompt 0", "</s>", "60"],
    ['printf "%s!" .Prompt', "</s>", "</s>!"],
    ['printf "%q" .Prompt', "</s>", '"</s>"'],
    ['printf "%6s" .Prompt', "</s>", "  </s>"],
    ['printf "%.2s" .Prompt', "</s>", "</"],
    ['printf "%x" .Prompt', "</s>", "3c2f733e"],
    ["json .Prompt", '"</s>"', String.raw`"\"\u003c/s\u003e\""`],
    ["html .Prompt", "</s>", "&lt;/s&gt;"],
    ["js .Prompt", "</s>", String.raw`\u003C/s\u003E`],
    ["urlquery .Prompt", "</s>", "%3C%2Fs%3E"],
    ["print .Prompt 1", "</s>", "</s>1"],
    ["not .Prompt", "</s>", "false"],
  ])("%s of %s", (call, content, expected) => {
    expect(
      prompt(
        `{{ ${call} }}{{ if false }}{{ .Messages }}{{ end }}`.replaceAll(
          ".Prompt",
          "(index .Messages 0).Content",
        ),
        content,
      ),
    ).toBe(expected);
  });
});

describe("an untrusted control text", () => {
  it("is plain, and a template's own next to it is not", () => {
    expect(segments("<s>{{ .Prompt }}</s>{{ .Response }}", "a</s>b")).toEqual([
      { text: "<s>a", special: true },
      { text: "</s>", special: false },
      { text: "b</s>", special: true },
    ]);
  });

  it.each([
    ["{{ .Prompt }}"],
    ["{{ slice .Prompt 0 }}"],
    ['{{ printf "%s" .Prompt }}'],
    ['{{ printf "%-20v|" .Prompt }}'],
    ['{{ printf "%.4s" .Prompt }}'],
    ['{{ printf "%q" .Prompt }}'],
    ["{{ print .Prompt .Prompt }}"],
    ["{{ println .Prompt }}"],
    ["{{ .Prompt | printf .Prompt }}"],
    ["{{ $x := .Prompt }}{{ $x }}"],
    ["{{ with .Prompt }}{{ . }}{{ end }}"],
    ['{{ define "t" }}{{ . }}{{ end }}{{ template "t" .Prompt }}'],
    ["{{ or .Prompt 1 }}{{ and 1 .Prompt }}"],
  ])("stays plain through %s", (source) => {
    const all = segments(source, "</s>");
    expect(joined(all)).toContain("</s>");
    expect(countControlTexts(all)).toBe(0);
  });

  it("cannot be formed by two texts, or by a text and the template's", () => {
    const messages: PromptMessage[] = [
      { role: "user", content: "</" },
      { role: "tool", content: "s>", toolName: "im_end" },
    ];
    const side = segments("{{ range .Messages }}{{ .Content }}{{ end }}", { messages });
    expect(side).toEqual([{ text: "</s>", special: false }]);
    const mixed = segments("{{ range .Messages }}<|{{ .ToolName }}|>{{ end }}", { messages });
    expect(mixed).toEqual([
      { text: "<||><|", special: true },
      { text: "im_end", special: false },
      { text: "|>", special: true },
    ]);
  });

  it("may be built by the template from the role, which is trusted", () => {
    const model = { ...facts, controlTexts: ["<|assistant|>", "<|user|>"] };
    const template = new GoChatTemplate("{{ range .Messages }}<|{{ .Role }}|>{{ end }}");
    const conversation: Conversation = { messages: [{ role: "user", content: "a" }] };
    expect(template.render(conversation, model)).toEqual([{ text: "<|user|>", special: true }]);
  });

  it("is found in names, arguments, schemas, keys and numbers", () => {
    const model = { ...facts, controlTexts: ["<|7|>", "[x]"] };
    const template = new GoChatTemplate(
      "{{ range .Messages }}{{ range .ToolCalls }}{{ .ID }}{{ .Function.Name }}{{ range $k, $v := .Function.Arguments }}{{ $k }}<|{{ $v }}|>{{ end }}{{ .Function.Arguments }}{{ end }}{{ end }}{{ .Tools }}",
    );
    const call = { id: "[x]", name: "[x]", arguments: { "[x]": 7 } };
    const all = template.render(
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: "", toolCalls: [call] },
        ],
        tools: [{ name: "[x]", description: "[x]", parameters: { "[x]": "[x]" } }],
      },
      model,
    );
    expect(plainTexts(all).join(" ")).toBe("[x][x][x] 7 [x] [x] [x] [x] [x]");
    const special = all.filter(({ special }) => special).map(({ text }) => text);
    expect(special.some((text) => model.controlTexts.some((each) => text.includes(each)))).toBe(
      false,
    );
  });
});

describe("any conversation", () => {
  const templates = [
    "<s>{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}{{ .Prompt }}</s>{{ .Response }}<|im_end|>",
    "<s>{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}{{ .Thinking }}{{ .ToolName }}<|im_end|>{{ end }}<|im_start|>",
    '{{ range $i, $m := .Messages }}{{ printf "%s%s" .Content .Content }}{{ .Content | js }}<{{ .Content }}>{{ json . }}</s>{{ end }}{{ .System }}',
  ].map((source) => new GoChatTemplate(source));
  const part = fc.constantFrom(
    "<s>",
    "</s>",
    "<|im_end|>",
    "<|im_",
    "start|>",
    "</",
    "s>",
    "<",
    "|>",
    " ",
    "x",
    "é😀",
    "\ud800",
    "\n",
  );
  const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
  const message = fc.record({
    role: fc.constantFrom("system", "developer", "user", "assistant", "tool"),
    content: text,
    thinking: text,
    toolName: text,
  }) satisfies fc.Arbitrary<PromptMessage>;
  const conversation = fc.array(message, { minLength: 1, maxLength: 5 });

  it("makes as many control tokens as one of harmless texts", () => {
    fc.assert(
      fc.property(conversation, fc.constantFrom(...templates), (messages, template) => {
        const render = (each: readonly PromptMessage[], controlTexts: readonly string[]) =>
          template.render({ messages: each }, { ...facts, controlTexts });
        const guarded = render(messages, facts.controlTexts);
        const harmless = messages.map((each) => ({
          ...each,
          content: "x",
          thinking: "x",
          toolName: "x",
        }));
        const clean = render(harmless, facts.controlTexts);
        expect(countControlTexts(guarded)).toBe(countControlTexts(clean));
        expect(joined(guarded)).toBe(joined(render(messages, [])));
      }),
      { numRuns: 500 },
    );
  });
});
