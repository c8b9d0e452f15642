// Prompts that differ from Ollama's on purpose, which the golden tables leave out.
import { describe, expect, it } from "vitest";
import { GoChatTemplate } from "../../../source/prompt/go-template/go-chat-template.ts";
import type { PromptMessage } from "../../../source/prompt/prompt-template.ts";
import { facts, joined, prompt, segments } from "./render.ts";

const rounds =
  "<s>{{ if .System }}S:{{ .System }}\n{{ end }}Q:{{ .Prompt }}\nA:{{ .Response }}</s>\n";
const walking = "{{ range .Messages }}{{ .Role }}:{{ .Content }}</s>\n{{ end }}assistant:";
const user = (content: string): PromptMessage => ({ role: "user", content });
const assistant = (content: string): PromptMessage => ({ role: "assistant", content });

describe("an unfinished answer", () => {
  const messages = [user("Count."), assistant("1, 2, ")];

  it("is continued, whatever the template writes after answers", () => {
    expect(prompt(rounds, { messages })).toBe("<s>Q:Count.\nA:1, 2, ");
    expect(prompt(walking, { messages })).toBe("user:Count.</s>\nassistant:1, 2, ");
  });

  it("is closed when a new answer is asked for", () => {
    const closed = prompt(walking, { messages, addGenerationPrompt: true });
    expect(closed).toBe("user:Count.</s>\nassistant:1, 2, </s>\nassistant:");
  });

  it("without any text has not started", () => {
    const begun = { messages: [user("Count."), assistant("")] };
    const fresh = { messages: [user("Count.")] };
    for (const source of [rounds, walking]) {
      expect(prompt(source, begun)).toBe(prompt(source, fresh));
    }
  });

  it("that consists of tool calls is finished", () => {
    const call = { ...assistant(""), toolCalls: [{ id: undefined, name: "f", arguments: {} }] };
    expect(prompt(walking, { messages: [user("a"), call] })).toMatch(/assistant:$/);
  });
});

describe("the beginning-of-text token", () => {
  it("is written once, not in every round", () => {
    const messages = [user("a"), assistant("b"), user("c")];
    expect(prompt(rounds, { messages })).toBe("<s>Q:a\nA:b</s>\nQ:c\nA:");
  });

  it("is not doubled", () => {
    expect(prompt("<s><s>{{ .Prompt }}", "a")).toBe("<s>a");
    expect(prompt("<s><s><s>{{ .Prompt }}", "a")).toBe("<s><s>a");
  });

  it("in a user's text stays there", () => {
    expect(segments("{{ .Prompt }}", "<s><s>a")).toEqual([
      { text: "<s><s>", special: false },
      { text: "a", special: true },
    ]);
  });
});

describe("messages", () => {
  it("of a developer become system messages", () => {
    const messages: PromptMessage[] = [{ role: "developer", content: "Be kind." }, user("a")];
    expect(prompt(rounds, { messages })).toBe("<s>S:Be kind.\nQ:a\nA:");
    expect(prompt(walking, { messages })).toContain("system:Be kind.");
  });

  it("of one role keep their tool calls and their thinking when they are joined", () => {
    const call = (name: string) => ({ id: undefined, name, arguments: {} });
    const messages: PromptMessage[] = [
      { ...assistant("a"), thinking: "x", toolCalls: [call("f")] },
      { ...assistant("b"), thinking: "y", toolCalls: [call("g")] },
      user("c"),
    ];
    const source =
      "{{ range .Messages }}{{ .Thinking }}|{{ .Content }}{{ range .ToolCalls }} {{ .Function.Index }}{{ .Function.Name }}{{ end }};{{ end }}";
    expect(prompt(source, { messages })).toBe("x\n\ny|a\n\nb 0f 1g;|c;");
  });

  it("may be missing altogether", () => {
    expect(prompt(walking, { messages: [] })).toBe("assistant:");
    expect(prompt(rounds, { messages: [] })).toBe("<s>Q:\nA:");
  });

  it("stay unchanged for the next request", () => {
    const messages = Object.freeze([Object.freeze(user("a")), Object.freeze(user("b"))]);
    expect(prompt(walking, { messages })).toBe(prompt(walking, { messages }));
  });
});

describe("images", () => {
  const source = "{{ range .Messages }}{{ .Content }}({{ len .Images }});{{ end }}";
  const image = { base64: "" };

  it("come before the text, counted over the conversation", () => {
    const messages = [
      { ...user("one"), images: [image, image] },
      assistant("ok"),
      { ...user("two"), images: [image] },
    ];
    const expected = "[img-0][img-1]one(2);ok(0);[img-2]two(1);";
    expect(prompt(source, { messages })).toBe(expected);
  });

  it("go to the places marked in the text", () => {
    const messages = [{ ...user("a [img] b [img] c [img] d"), images: [image, image] }];
    expect(prompt(source, { messages })).toBe("a [img-0] b [img-1] c [img] d(2);");
    const more = [{ ...user("a [img]"), images: [image, image] }];
    expect(prompt(source, { messages: more })).toBe("[img-1]a [img-0](2);");
  });

  it("keep their numbers when messages are joined", () => {
    const messages = [
      { ...user("a"), images: [image] },
      { ...user("b"), images: [image] },
    ];
    expect(prompt(source, { messages })).toBe("[img-0]a\n\n[img-1]b(2);");
  });
});

describe("tools", () => {
  const schema = {
    type: "object",
    additionalProperties: false,
    properties: {
      zone: { type: "string", default: "UTC" },
      at: { anyOf: [{ type: "integer" }, { type: "null" }] },
    },
  };
  const tools = [{ name: "now", description: undefined, parameters: schema }];

  it("print as the client sent them, nothing left out", () => {
    const json = prompt("{{ if .Messages }}{{ .Tools }}{{ end }}", {
      messages: [user("a")],
      tools,
    });
    expect(JSON.parse(json)).toEqual([
      { type: "function", function: { name: "now", parameters: schema } },
    ]);
    expect(json.indexOf("zone")).toBeLessThan(json.indexOf('"at"'));
  });

  it("and each part of them print as JSON too", () => {
    const source =
      "{{ if .Messages }}{{ range .Tools }}{{ . }}{{ .Function }}{{ .Function.Parameters }}{{ end }}{{ end }}";
    const text = prompt(source, { messages: [user("a")], tools });
    const parameters = JSON.stringify(schema);
    const called = `{"name":"now","parameters":${parameters}}`;
    expect(text).toBe(`{"type":"function","function":${called}}${called}${parameters}`);
  });

  it("with unknown fields are an error with its place", () => {
    const source = "{{ range .Messages }}\n  {{ .Contents }}{{ end }}";
    expect(() => prompt(source, "a")).toThrow(
      /line 2, column 6, at `\.Contents }}{{ end }}`\): can't evaluate field Contents in type Message/,
    );
  });

  it("whose JSON is nested too deeply are refused", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`);
    const refused = () =>
      prompt(walking, {
        messages: [user("a")],
        tools: [{ name: "f", description: "", parameters: deep }],
      });
    expect(refused).toThrow(expect.objectContaining({ code: "PROMPT_TEMPLATE_REFUSED" }));
  });
});

describe("dates", () => {
  it("are of the day of the request", () => {
    const template = new GoChatTemplate("{{ currentDate }} {{ yesterdayDate }}{{ .Prompt }}");
    const day = new Date(2026, 2, 1, 12);
    const text = joined(template.render({ messages: [user("")] }, facts, { now: day }));
    expect(text).toBe("2026-03-01 2026-02-28");
  });
});

describe("a template", () => {
  it("supports tools and insert if it uses their fields", () => {
    const can = (source: string) => {
      const { supportsTools, supportsInsert } = new GoChatTemplate(source);
      return { supportsTools, supportsInsert };
    };
    expect(can("{{ .Prompt }}")).toEqual({ supportsTools: false, supportsInsert: false });
    expect(can('{{ define "x" }}{{ $.Tools }}{{ end }}')).toMatchObject({ supportsTools: true });
    expect(can("{{ if (and .Prompt .Suffix) }}{{ end }}")).toMatchObject({ supportsInsert: true });
    expect(can("Tools and Suffix")).toEqual({ supportsTools: false, supportsInsert: false });
  });
});
