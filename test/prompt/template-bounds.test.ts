// Template bombs: none blocks its thread or takes its memory; each ends with an error.
import { setInterval as every } from "node:timers";
import { describe, expect, it, vi } from "vitest";
import { ChatTemplate } from "../../source/prompt/chat-template.ts";
import { GoChatTemplate } from "../../source/prompt/go-template/go-chat-template.ts";
import { longestQuickConversation, quickLimits } from "../../source/prompt/render-budget.ts";
import { renderInTime } from "../../source/prompt/render-in-time.ts";

const facts = { bosText: "", eosText: "", controlTexts: [] };
const conversation = { messages: [{ role: "user" as const, content: "Hi" }] };

const loops = (count: number) =>
  `${`{% for a in range(${count}) %}`.repeat(3)}x${"{% endfor %}".repeat(3)}`;
const slowSource = `${"{% for i in range(400) %}".repeat(2)}${"{% endfor %}".repeat(2)}x`;
const doubling = (start: string, double: string) =>
  `{% set n = namespace(x=${start}) %}{% for i in range(64) %}{% set n.x = ${double} %}{% endfor %}{{ n.x }}`;

const bombs: ReadonlyArray<readonly [name: string, source: string]> = [
  ["loops in loops", loops(3000)],
  ["a long range", "{{ range(2000000000) | list }}"],
  ["a doubled text", doubling("'ab'", "n.x ~ n.x")],
  ["a doubled list", doubling("[1]", "n.x + n.x")],
  ["a list of itself twice", doubling("[1]", "[n.x, n.x]")],
  ["a repeated text", "{{ 'a' * 2000000000 }}"],
  ["a repeated list", "{{ [0] * 2000000000 }}"],
  ["joined texts", doubling("'ab'", "[n.x, n.x] | join(n.x)")],
  ["a replaced text", doubling("'aa'", "n.x | replace('a', 'aaa')")],
  ["a wide number", "{{ '%2000000000d' % 1 }}"],
  ["a wide format", "{{ '{:>2000000000}'.format(1) }}"],
  ["an indented text", "{{ 'a\\nb' | indent(2000000000) }}"],
  ["indented JSON", "{{ [1] | tojson(indent=2000000000) }}"],
  ["a centred text", "{{ 'a' | center(2000000000) }}"],
  ["macros without an end", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"],
  [
    "macros that branch",
    "{% macro m(n) %}{% if n %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(100) }}",
  ],
  [
    "a list that grows",
    "{% set l = [1] %}{% for i in l %}{{ l.extend(l) }}{% endfor %}".repeat(40),
  ],
  ["slices", "{{ [1, 2] | slice(2000000000) | list }}"],
];

describe("a template bomb", () => {
  it.each(bombs)("of %s ends within the quick limits", (_, source) => {
    const template = new ChatTemplate(source);
    expect(() => template.render(conversation, facts, { limits: quickLimits })).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^PROMPT_TEMPLATE_(TOO_COSTLY|FAILED)$/),
        status: 400,
      }),
    );
  });

  it("does not block the thread until its timeout", async () => {
    let ticks = 0;
    const timer = every(() => {
      ticks += 1;
    }, 5);
    const slow = renderInTime(new ChatTemplate(loops(3000)), conversation, facts, 500);
    await expect(slow).rejects.toMatchObject({ code: "PROMPT_TEMPLATE_TOO_COSTLY", status: 400 });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it("does not block other templates", async () => {
    const slow = renderInTime(new ChatTemplate(loops(3000)), conversation, facts, 500);
    const order: string[] = [];
    const quick = renderInTime(new ChatTemplate(undefined), conversation, facts, 500);
    await Promise.all([
      slow.catch(() => order.push("slow")),
      quick.then(() => order.push("quick")),
    ]);
    expect(order).toEqual(["quick", "slow"]);
  });

  it("stops at once when its request is cancelled, like waiting ones", async () => {
    const abort = new AbortController();
    const render = () =>
      renderInTime(new ChatTemplate(loops(3000)), conversation, facts, 600_000, abort.signal);
    const ends = [render(), render(), render()].map((slow) =>
      expect(slow).rejects.toMatchObject({ name: "AbortError" }),
    );
    setTimeout(() => abort.abort(), 300);
    await Promise.all(ends);
    const quick = renderInTime(new ChatTemplate(slowSource), conversation, facts, 60_000);
    await expect(quick).resolves.toEqual([{ text: "x", special: true }]);
  });

  it("in Go's language ends too", async () => {
    const source = `${Array.from(
      { length: 40 },
      (_, index) =>
        `{{ define "u${index}" }}{{ template "u${index + 1}" . }}{{ template "u${index + 1}" . }}{{ end }}`,
    ).join("")}{{ define "u40" }}x{{ end }}{{ template "u0" . }}`;
    const slow = renderInTime(new GoChatTemplate(source), conversation, facts, 500);
    await expect(slow).rejects.toMatchObject({ code: "PROMPT_TEMPLATE_TOO_COSTLY" });
  });
});

describe("a template that is slow, but ends", () => {
  it("is rendered in a worker, marks and all", async () => {
    const source =
      "{% for i in range(60000) %}{% set x = i %}{% endfor %}{{ messages[0].content }}</s>";
    const model = { bosText: "", eosText: "</s>", controlTexts: ["</s>"] };
    const messages = [{ role: "user" as const, content: "a</s>" }];
    const template = new ChatTemplate(source);
    const segments = await renderInTime(template, { messages }, model, 60_000);
    expect(segments).toEqual(template.render({ messages }, model));
    expect(segments[1]).toEqual({ text: "</s>", special: false });
  });
});

describe("a conversation", () => {
  it.each([
    ["short", 100, 1],
    ["long", longestQuickConversation + 1, 0],
  ])("that is %s is rendered on the caller's thread or never", async (_, length, times) => {
    const template = new ChatTemplate("{{ messages[0].content | length }}");
    const render = vi.spyOn(template, "render");
    const messages = [{ role: "user" as const, content: "x".repeat(length) }];
    const segments = await renderInTime(template, { messages }, facts, 60_000);
    expect(segments).toEqual([{ text: String(length), special: true }]);
    expect(render).toHaveBeenCalledTimes(times);
  });
});

describe("a template's source", () => {
  it("has a largest number of tokens, in both languages", () => {
    const dense = "{{ a }}".repeat(9000);
    for (const read of [
      () => new ChatTemplate(dense),
      () => new GoChatTemplate(dense.replaceAll("a", ".Prompt").slice(0, 65_000)),
    ]) {
      expect(read).toThrow(
        expect.objectContaining({
          code: "PROMPT_TEMPLATE_INVALID",
          message: expect.stringContaining("more than 8192 tokens"),
        }),
      );
    }
  });

  it("has a longest length, in both languages", () => {
    const long = "x".repeat(70_000);
    for (const read of [() => new ChatTemplate(long), () => new GoChatTemplate(long)]) {
      expect(read).toThrow(
        expect.objectContaining({
          code: "PROMPT_TEMPLATE_INVALID",
          message: expect.stringContaining("longer than 65536 characters"),
        }),
      );
    }
  });
});
