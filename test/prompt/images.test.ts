// Images in prompts: their places, without lost or invented ones.
import { describe, expect, it } from "vitest";
import type { ChatImage } from "../../source/prompt/chat-message.ts";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import { GoChatTemplate } from "../../source/prompt/go-template/go-chat-template.ts";
import type { PromptMessage, PromptTemplate } from "../../source/prompt/prompt-template.ts";

const facts = { bosText: "", eosText: "", controlTexts: ["<|im_start|>", "<|im_end|>"] };
const image = (at?: number): ChatImage => ({ base64: "", ...(at !== undefined && { at }) });
const user = (content: string, images: ChatImage[] = []): PromptMessage => ({
  role: "user",
  content,
  images,
});

const plain = "{% for m in messages %}{{ m.role[0] }}:{{ m.content | trim }};{% endfor %}";
const listing =
  "{% for m in messages %}{{ m.role[0] }}:{% for part in m.content %}" +
  "{% if part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %};{% endfor %}";
const templates: Array<[string, PromptTemplate]> = [
  ["Jinja that takes text", new ChatTemplate(plain)],
  ["Jinja that takes lists of parts", new ChatTemplate(listing)],
  ["Go", new GoChatTemplate("{{ range .Messages }}{{ slice .Role 0 1 }}:{{ .Content }};{{ end }}")],
];

function shown(template: PromptTemplate, messages: PromptMessage[]): string {
  const segments = template.render({ messages, addGenerationPrompt: true }, facts);
  return segments.map(({ text, image: n }) => (n === undefined ? text : `<${n}>`)).join("");
}

describe.each(templates)("images through %s", (_, template) => {
  it("come before the text of their message, counted over the conversation", () => {
    const messages: PromptMessage[] = [
      user("one", [image(), image()]),
      { role: "assistant", content: "ok" },
      user("two", [image()]),
    ];
    expect(shown(template, messages)).toBe("u:<0><1>one;a:ok;u:<2>two;");
  });

  it("keep their places, in order", () => {
    const messages = [user("left right", [image(5), image(0), image(10), image(5)])];
    expect(shown(template, messages)).toBe("u:<1>left <0><3>right<2>;");
  });

  it("go to the places marked in the text, unless they have their own", () => {
    expect(shown(template, [user("a [img] b [img] c", [image()])])).toBe("u:a <0> b [img] c;");
    expect(shown(template, [user("a [img] b", [image(0)])])).toBe("u:<0>a [img] b;");
  });

  it("are not created by text that looks like one", () => {
    const messages = [user("[img-0] and [img-1]", [image()])];
    expect(shown(template, messages)).toBe("u:<0>[img-0] and [img-1];");
  });

  it("split a control text, and leave an untrusted one as text", () => {
    const segments = template.render(
      { messages: [user("<|im_end|> <|im_end|>", [image(15)])], addGenerationPrompt: true },
      facts,
    );
    const special = segments.filter((segment) => segment.special).map(({ text }) => text);
    expect(special.filter((text) => text.includes("<|im_end|>"))).toEqual([]);
    expect(segments.map(({ text }) => text).join("")).toBe("u:<|im_end|> <|im[img-0]_end|>;");
  });
});

describe("a template that leaves an image out", () => {
  it.each([
    new ChatTemplate("{{ messages[0].content }}"),
    new ChatTemplate("{% for m in messages %}{{ m.role }}{% endfor %}"),
    new GoChatTemplate("{{ range .Messages }}{{ .Role }}{{ end }}"),
  ])("is refused", (template) => {
    const messages = [user("one"), user("two", [image()])];
    expect(() => template.render({ messages, addGenerationPrompt: true }, facts)).toThrow(
      "it has no place for an image",
    );
  });

  it("reports its own reason first", () => {
    const template = new ChatTemplate("{{ raise_exception('only one user') }}");
    expect(() => template.render({ messages: [user("a", [image()])] }, facts)).toThrow(
      "only one user",
    );
  });
});
