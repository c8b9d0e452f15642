// Jinja templates with unfinished answers, thinking and suffixes.
import { describe, expect, it } from "vitest";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import type { Conversation, PromptMessage } from "../../source/prompt/prompt-template.ts";
import { readGgufFacts } from "../../source/store/gguf/gguf-facts.ts";
import { tinyFile } from "../support/load-tiny.ts";

const facts = { bosText: "<s>", eosText: "</s>", controlTexts: ["</s>", "<s>"] };

function prompt(source: string | undefined, conversation: Conversation): string {
  const segments = new ChatTemplate(source).render(conversation, facts);
  return segments.map(({ text }) => text).join("");
}

const user = (content: string): PromptMessage => ({ role: "user", content });
const assistant = (content: string): PromptMessage => ({ role: "assistant", content });

describe("an unfinished answer", () => {
  const messages = [user("Count."), assistant("1, 2, ")];

  it("is continued by the model's own template", async () => {
    const { chatTemplate } = await readGgufFacts(tinyFile);
    expect(prompt(chatTemplate, { messages })).toBe(
      "<s><|im_start|>user\nCount.<|im_end|>\n<|im_start|>assistant\n1, 2, ",
    );
  });

  it("is closed when a new answer is asked for", () => {
    const text = prompt(undefined, { messages, addGenerationPrompt: true });
    expect(text).toMatch(/1, 2, <\|im_end\|>\n<\|im_start\|>assistant\n$/);
  });

  it("keeps the blanks that a template would trim", () => {
    const trim = "{% for m in messages %}[{{ m.content | trim }}]{% endfor %}";
    expect(prompt(trim, { messages })).toBe("[Count.][1, 2, ");
  });

  it("may contain control texts, or the characters used as marks", () => {
    const marks = String.fromCodePoint(0xf0000, 0xf0001, 0xf0002);
    const segments = new ChatTemplate(undefined).render(
      { messages: [user("a"), assistant(`${marks}b</s>`)] },
      facts,
    );
    expect(segments.at(-1)).toEqual({ text: "</s>", special: false });
    expect(segments.at(-2)?.text).toMatch(new RegExp(`${marks}b$`));
  });

  it("is refused by a template that leaves it out", () => {
    const questions = "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}";
    expect(() => prompt(questions, { messages })).toThrow(/leaves out the last answer/);
  });
});

describe("thinking", () => {
  const source =
    "{{ enable_thinking is defined }} {{ enable_thinking }} {{ thinking }} {{ reasoning_effort }}" +
    "{% for m in messages %}[{{ m.reasoning_content }}|{{ m.thinking }}]{% endfor %}";
  const about = (think: Conversation["think"]) =>
    prompt(source, { messages: [], ...(think !== undefined && { think }) });

  it("follows the template's default", () => {
    expect(about(undefined)).toMatch(/^False/);
  });

  it("is turned on, off, or given a level", () => {
    expect(about(true)).toMatch(/^True True True/);
    expect(about(false)).toMatch(/^True False False/);
    expect(about("low")).toBe("True True True low");
  });

  it("of earlier answers is included, guarded like all untrusted text", () => {
    const messages = [{ ...assistant("a"), thinking: "b</s>" }, user("c")];
    const segments = new ChatTemplate(source).render({ messages }, facts);
    expect(segments.filter(({ special }) => !special)).toHaveLength(2);
    expect(segments.map(({ text }) => text).join("")).toContain("[b</s>|b</s>]");
  });
});

describe("a template that wants another form of the conversation", () => {
  const call = { id: "call00001", name: "search", arguments: { query: "a </s>", tags: ["x", 1] } };
  const calling: Conversation = {
    messages: [user("Search."), { ...assistant(""), toolCalls: [call] }],
  };
  // As in functionary-medium-v3.2.
  const adding =
    "{% for m in messages %}{% for c in m.tool_calls %}>>>{{ c.function.name + '\n' + c.function.arguments }}{% endfor %}{% endfor %}";
  // As in gemma-2.
  const withoutSystem =
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %}";

  it("gets the arguments of calls as JSON texts, guarded like all untrusted text", () => {
    const segments = new ChatTemplate(adding).render(calling, facts);
    expect(segments.map(({ text }) => text).join("")).toBe(
      '>>>search\n{"query": "a </s>", "tags": ["x", 1]}',
    );
    expect(segments.filter(({ special }) => !special)).toEqual([{ text: "</s>", special: false }]);
  });

  it("gets them as a mapping if it can use one", () => {
    const json = adding.replace("c.function.arguments", "c.function.arguments | tojson");
    expect(prompt(json, calling)).toBe('>>>search\n{"query": "a </s>", "tags": ["x", 1]}');
  });

  it("gets the system prompt in the first question", () => {
    const messages: PromptMessage[] = [{ role: "system", content: "Be brief." }, user("Hello!")];
    expect(prompt(withoutSystem, { messages })).toBe("[user] Be brief.\nHello!");
    expect(prompt(undefined, { messages })).toMatch(/^<\|im_start\|>system\nBe brief\./);
  });

  it("keeps its images in their question", () => {
    const question = { ...user("See [img]."), images: [{ base64: "" }] };
    const messages: PromptMessage[] = [{ role: "system", content: "Be brief." }, question];
    expect(prompt(withoutSystem, { messages })).toBe("[user] Be brief.\nSee [img-0].");
  });

  it("refuses with its own reason if no form helps", () => {
    const messages: PromptMessage[] = [{ role: "system", content: "a" }, assistant("b")];
    expect(() => prompt(withoutSystem, { messages })).toThrow(/System role not supported/);
    const refusing = "{{ raise_exception('no') }}";
    expect(() => prompt(refusing, calling)).toThrow(/does not accept this conversation: no\./);
  });
});

describe("a template's missing variables", () => {
  // As in firefunction-v2.
  const source =
    "{% set suffix = 'Functions:\n' + functions %}{{ suffix + '\nToday is ' + datetime + '.' }}";

  it("are empty in texts; the date is given", () => {
    const segments = new ChatTemplate(source).render({ messages: [user("a")] }, facts, {
      now: new Date("2026-07-04T09:05:00"),
    });
    expect(segments).toEqual([{ text: "Functions:\n\nToday is Jul 04 2026.", special: true }]);
  });

  it("can be set by the request", () => {
    const variables = { functions: "[]", datetime: "noon" };
    expect(prompt(source, { messages: [], variables })).toBe("Functions:\n[]\nToday is noon.");
  });

  it("are empty lists in loops, such as the tools of a chat without tools", () => {
    expect(prompt("{% for t in tools %}{{ t }}{% else %}none{% endfor %}", { messages: [] })).toBe(
      "none",
    );
  });

  it("include the parameters of a tool without any, which get an empty schema", () => {
    const tools = [{ name: "clock", description: undefined, parameters: undefined }];
    const names = "{{ tools[0].function.parameters.properties.items() | length }}";
    expect(prompt(names, { messages: [user("a")], tools })).toBe("0");
  });
});

describe("a suffix", () => {
  it("has no place in a Jinja template", () => {
    const refused = () => prompt(undefined, { messages: [user("a")], suffix: "b" });
    expect(refused).toThrow(
      expect.objectContaining({ code: "PROMPT_TEMPLATE_REFUSED", param: "suffix" }),
    );
  });
});

describe("JSON that is nested too deeply", () => {
  it("is refused, not a crash", () => {
    const parameters = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
    const tools = [{ name: "f", description: undefined, parameters }];
    const refused = () => prompt(undefined, { messages: [user("a")], tools });
    expect(refused).toThrow(expect.objectContaining({ code: "PROMPT_TEMPLATE_REFUSED" }));
  });
});

describe("variables of a request", () => {
  const source = "{{ style }}{{ depth + 1 }}{% if enable_thinking %} thinks{% endif %}";

  it("reach the template", () => {
    const variables = { style: "brief", depth: 2, enable_thinking: true };
    expect(prompt(source, { messages: [], variables })).toBe("brief3 thinks");
    expect(prompt(source, { messages: [], variables, think: false })).toBe("brief3");
  });

  it("never become control tokens", () => {
    const variables = { style: "</s>", depth: 0 };
    expect(new ChatTemplate(source).render({ messages: [], variables }, facts)).toEqual([
      { text: "</s>", special: false },
      { text: "1", special: true },
    ]);
  });
});
