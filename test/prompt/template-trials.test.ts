// Trial conversations that a template does not support, and the places of mistakes.
import { describe, expect, it } from "vitest";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import { GoChatTemplate } from "../../source/prompt/go-template/go-chat-template.ts";
import { tryTemplate } from "../../source/prompt/template-trials.ts";

const all = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}";
const jinja = (source: string, toolSource?: string) =>
  tryTemplate(new ChatTemplate(source), toolSource, 5000);

describe("the trials of a template", () => {
  it("find nothing if everything is rendered", async () => {
    expect(await jinja(`{{ tools | tojson }}${all}`)).toEqual([]);
  });

  it("report the template's own message", async () => {
    const refusing =
      "{% if messages[-1].role == 'tool' %}{{ raise_exception('Tool role not supported') }}{% endif %}";
    expect(await jinja(`${refusing}{{ tools | tojson }}${all}`)).toEqual([
      {
        conversation: "tool results",
        reason: expect.stringContaining("Tool role not supported"),
        fails: true,
      },
    ]);
  });

  it("name the line of a mistake, which only tool results reach", async () => {
    const broken = `{{ tools | tojson }}${all}\n{% if messages[-1].role == 'tool' %}\n{{ 'a' | nosuch }}{% endif %}`;
    expect(await jinja(broken)).toEqual([
      {
        conversation: "tool results",
        reason: expect.stringMatching(/line 4, column \d+.*nosuch/),
        fails: true,
      },
    ]);
  });

  it("report parts that are left out, in both languages", async () => {
    const left = [
      { conversation: "system prompts", reason: "The template leaves out the system prompt." },
      { conversation: "tools", reason: "The template leaves out the tools." },
      { conversation: "tool results", reason: "The template leaves out the tool's result." },
    ].map((each) => ({ ...each, fails: false }));
    expect(await jinja("{{ messages[-1].content }}")).toEqual(left);
    expect(await tryTemplate(new GoChatTemplate("{{ .Prompt }}"), undefined, 5000)).toEqual(left);
  });

  it("use the template for requests with tools if there is one", async () => {
    expect(await jinja(all, `{{ tools | tojson }}${all}`)).toEqual([]);
    expect(await jinja(all, "{{ tools")).toEqual(
      ["tools", "tool results"].map((conversation) => ({
        conversation,
        reason: expect.stringContaining("cannot be read (line 1"),
        fails: true,
      })),
    );
  });

  it("stop at the first that takes too long", async () => {
    const bomb = `${"{% for a in range(3000) %}".repeat(3)}x${"{% endfor %}".repeat(3)}`;
    expect(await tryTemplate(new ChatTemplate(bomb), undefined, 100)).toEqual([
      { conversation: "plain chats", reason: expect.stringContaining("was stopped"), fails: true },
    ]);
  });
});
