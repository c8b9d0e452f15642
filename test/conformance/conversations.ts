// Conversations that every template must render like the reference.
import type { ToolCall, ToolDefinition } from "../../source/prompt/chat-message.ts";
import type { Conversation, PromptMessage } from "../../source/prompt/prompt-template.ts";

const user = (content: string): PromptMessage => ({ role: "user", content });
const system = (content: string): PromptMessage => ({ role: "system", content });
const answer = (content: string, thinking?: string): PromptMessage => ({
  role: "assistant",
  content,
  ...(thinking !== undefined && { thinking }),
});
const call = (id: string, name: string, args: ToolCall["arguments"]): ToolCall => ({
  id,
  name,
  arguments: args,
});
const calling = (...toolCalls: ToolCall[]): PromptMessage => ({
  role: "assistant",
  content: "",
  toolCalls,
});
const result = (toolCallId: string, toolName: string, content: string): PromptMessage => ({
  role: "tool",
  content,
  toolCallId,
  toolName,
});

const weather: ToolDefinition = {
  name: "get_weather",
  description: "Tells the weather of a city.",
  parameters: {
    type: "object",
    properties: {
      city: { type: "string", description: "Name of the city" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    },
    required: ["city"],
  },
};
const search: ToolDefinition = {
  name: "search",
  description: "Searches documents.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", description: 'Words, "quoted" or not' },
      limit: { type: ["integer", "null"], description: "Most results", default: null },
      filters: {
        type: "object",
        properties: {
          tags: { type: "array", items: { type: "string" } },
          exact: { type: "boolean" },
        },
        required: ["tags"],
      },
    },
    required: ["query"],
  },
};
const clock: ToolDefinition = {
  name: "clock",
  description: "Tells the time.",
  parameters: undefined,
};

const question = user("What is the weather in Rome?");
const rome = call("call00001", "get_weather", { city: "Rome" });
const oslo = call("call00002", "get_weather", { city: "Oslo", unit: "celsius" });

/** Conversation with one call's arguments, its result, and the next question. */
function callOf(args: ToolCall["arguments"]): Conversation {
  return {
    tools: [search],
    messages: [
      user("Search."),
      calling(call("call00003", "search", args)),
      result("call00003", "search", '{"found": 3}'),
    ],
  };
}

export const conversations: Readonly<Record<string, Conversation>> = {
  "user only": { messages: [user("Hello!")] },
  system: { messages: [system("You are brief."), user("Hello!")] },
  "several turns": {
    messages: [system("You are brief."), user("Hello!"), answer("Hi."), user("How are you?")],
  },
  tools: { tools: [weather, search], messages: [question] },
  "tools and system": { tools: [weather], messages: [system("You are brief."), question] },
  "tool without parameters": { tools: [clock], messages: [user("What time is it?")] },
  "tool result": {
    tools: [weather],
    messages: [question, calling(rome), result("call00001", "get_weather", "sunny, 24 degrees")],
  },
  "answer after a tool result": {
    tools: [weather],
    messages: [
      question,
      calling(rome),
      result("call00001", "get_weather", '{"sky": "clear"}'),
      answer("It is sunny."),
      user("Thanks. And in Oslo?"),
    ],
  },
  "two calls at once": {
    tools: [weather],
    messages: [
      user("The weather in Rome and Oslo?"),
      calling(rome, oslo),
      result("call00001", "get_weather", "sunny"),
      result("call00002", "get_weather", "snow"),
    ],
  },
  "call with null": callOf({ query: "a", limit: null }),
  "call with nested arguments": callOf({
    query: "a",
    limit: 5,
    filters: { tags: ["x", "y"], exact: true },
  }),
  "call with lists and numbers": callOf({ query: ["a", "b", 1], limit: 2.5, on: false }),
  "call with Unicode": callOf({ query: 'Zürich "東京" \\ 🦙\nline' }),
  "call without arguments": {
    tools: [clock],
    messages: [
      user("What time is it?"),
      calling(call("call00004", "clock", {})),
      result("call00004", "clock", "12:00"),
    ],
  },
  "text beside a call": {
    tools: [weather],
    messages: [
      question,
      { ...calling(rome), content: "Let me look." },
      result("call00001", "get_weather", "sunny"),
    ],
  },
  "schema with several types": {
    tools: [search],
    messages: [user("Find three documents about llamas.")],
  },
  "thinking on": { think: true, messages: [user("What is 2 + 2?")] },
  "thinking off": { think: false, messages: [user("What is 2 + 2?")] },
  "thinking on with tools": { think: true, tools: [weather], messages: [question] },
  "thinking off with tools": { think: false, tools: [weather], messages: [question] },
  "earlier thinking": {
    messages: [user("2 + 2?"), answer("4", "Two and two are four."), user("And 3 + 3?")],
  },
  "thinking before a call": {
    think: true,
    tools: [weather],
    messages: [
      question,
      { ...calling(rome), thinking: "I need the weather." },
      result("call00001", "get_weather", "sunny"),
    ],
  },
  "empty texts": { messages: [system(""), user(""), answer(""), user("")] },
  "text with braces and tags": {
    messages: [user('{{ x }} {% if %} <tool_call>{"a": 1}</tool_call> <think>no</think> & < >')],
  },
  "text with blanks around": { messages: [user("  a\n\n b \t\n"), answer(" c "), user("\nd\n")] },
  "assistant prefill": { messages: [user("Count."), answer("1, 2, ")] },
};
