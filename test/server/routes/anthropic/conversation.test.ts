// Anthropic's messages as the conversation that a model sees.
import { expect, test } from "vitest";
import { toConversation } from "../../../../source/server/routes/anthropic/conversation.ts";

const warnings: string[] = [];
const converted = (system: unknown, messages: readonly unknown[]) =>
  toConversation(system, messages, (sentence) => warnings.push(sentence));
const text = (content: string) => ({ type: "text", text: content });
const use = { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } };
const call = { id: "toolu_1", name: "get_weather", arguments: { city: "Paris" } };

test("thinking, text and tool calls of one answer are one message", () => {
  const thinking = { type: "thinking", thinking: "Where is Paris?", signature: "abc" };
  const hidden = { type: "redacted_thinking", data: "xyz" };
  const content = [
    thinking,
    hidden,
    text("Let me "),
    text("look."),
    use,
    { ...use, id: "toolu_2" },
  ];
  expect(converted(undefined, [{ role: "assistant", content }])).toEqual([
    {
      role: "assistant",
      thinking: "Where is Paris?",
      content: "Let me look.",
      toolCalls: [call, { ...call, id: "toolu_2" }],
    },
  ]);
});

test("tool results are separate messages that know their tool", () => {
  const result = { type: "tool_result", tool_use_id: "toolu_1" };
  const messages = [
    { role: "assistant", content: [use] },
    {
      role: "user",
      content: [
        { ...result, content: [text("sunny, "), text("21 degrees")] },
        { ...result, content: "no network", is_error: true },
        { ...result, tool_use_id: "toolu_9" },
        text("And now?"),
      ],
    },
  ];
  const about = { role: "tool", toolCallId: "toolu_1", toolName: "get_weather" };
  expect(converted(undefined, messages)).toEqual([
    { role: "assistant", content: "", toolCalls: [call] },
    { ...about, content: "sunny, 21 degrees" },
    { ...about, content: "Error: no network" },
    { role: "tool", toolCallId: "toolu_9", content: "" },
    { role: "user", content: "And now?" },
  ]);
});

test("consecutive messages of one side are one message", () => {
  const system = [text("You are a pirate."), text("You live in Paris.")];
  const messages = [
    { role: "system", content: "It is Monday." },
    { role: "user", content: "Hello!" },
    { role: "user", content: [text("Who are "), text("you?")] },
    { role: "assistant", content: [] },
  ];
  expect(converted(system, messages)).toEqual([
    { role: "system", content: "You are a pirate.\n\nYou live in Paris.\n\nIt is Monday." },
    { role: "user", content: "Hello!\n\nWho are you?" },
    { role: "assistant", content: "" },
  ]);
});

test("documents and search results of text, and summaries, are text", () => {
  const content = [
    { type: "document", title: "Notes", source: { type: "text", data: "Buy milk." } },
    { type: "document", source: { type: "content", content: [text("One. "), text("Two.")] } },
    {
      type: "search_result",
      title: "Page",
      source: "https://a.example",
      content: [text("Three.")],
    },
    { type: "compaction", content: " Earlier." },
  ];
  expect(converted(undefined, [{ role: "user", content }])).toEqual([
    { role: "user", content: "Notes\nBuy milk.One. Two.Page\nThree. Earlier." },
  ]);
});

test("blocks about Anthropic's own tools are left out and reported once", () => {
  warnings.splice(0);
  const content = [
    text("I search."),
    { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "s", content: [] },
    { type: "server_tool_use", id: "t", name: "web_search", input: {} },
  ];
  expect(converted(undefined, [{ role: "assistant", content }])).toEqual([
    { role: "assistant", content: "I search." },
  ]);
  expect(warnings).toEqual([
    "Left out what only its vendor can run: server_tool_use, web_search_tool_result.",
  ]);
});
