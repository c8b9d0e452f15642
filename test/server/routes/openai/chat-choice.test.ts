// Events of one choice as the deltas of a stream, and as a whole message.
import { expect, test } from "vitest";
import type { TokenLogprob } from "../../../../source/engine/generation.ts";
import type { CanonicalEvent } from "../../../../source/engine/request.ts";
import { ChatChoice, ChatDeltas } from "../../../../source/server/routes/openai/chat-choice.ts";
import { usageOf } from "../../../../source/server/routes/openai/reply-fields.ts";

const statistics = {
  promptTokens: 10,
  cachedTokens: 4,
  completionTokens: 9,
  queueMs: 0,
  promptMs: 0,
  completionMs: 0,
};
const done: CanonicalEvent = { type: "done", reason: "stop", statistics };
const logprob = (token: string): TokenLogprob => ({ token, bytes: [], logprob: -1, top: [] });

const conversation: CanonicalEvent[] = [
  { type: "loading", fraction: 0.5 },
  { type: "loaded", loadMs: 5 },
  { type: "started", promptTokens: 10, cachedTokens: 4, slot: 0 },
  { type: "thinking", text: "Let me ", tokens: 2, logprobs: [logprob("Let me ")] },
  { type: "thinking", text: "see.", tokens: 3 },
  { type: "text", text: "I will look.", tokens: 5 },
  { type: "tool-call", index: 0, id: "call_a", name: "look", tokens: 6 },
  { type: "tool-arguments", index: 0, text: '{"at":', tokens: 7 },
  { type: "tool-arguments", index: 0, text: "1}", tokens: 7 },
  { type: "tool-call-end", index: 0, arguments: { at: 1 } },
  { type: "tool-call", index: 1, id: "call_b", name: "look", tokens: 8 },
  { type: "tool-arguments", index: 1, text: "{}", tokens: 9 },
  { type: "tool-call-end", index: 1, arguments: {} },
  { ...done, truncated: { messages: 2, tokens: 30 } },
];

function deltasOf(events: readonly CanonicalEvent[]) {
  const deltas = new ChatDeltas(3);
  return { deltas, chunks: events.flatMap((event) => deltas.take(event)) };
}

test("the role comes once, thinking under both names, calls with index and id", () => {
  const { chunks } = deltasOf(conversation);
  expect(chunks.map(({ choices: [{ delta }] }) => delta)).toEqual([
    { role: "assistant", content: "", reasoning: "Let me ", reasoning_content: "Let me " },
    { reasoning: "see.", reasoning_content: "see." },
    { content: "I will look." },
    {
      tool_calls: [
        { index: 0, id: "call_a", type: "function", function: { name: "look", arguments: "" } },
      ],
    },
    { tool_calls: [{ index: 0, function: { arguments: '{"at":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: "1}" } }] },
    {
      tool_calls: [
        { index: 1, id: "call_b", type: "function", function: { name: "look", arguments: "" } },
      ],
    },
    { tool_calls: [{ index: 1, function: { arguments: "{}" } }] },
    {},
  ]);
  const choices = chunks.map(({ choices: [choice] }) => choice);
  expect(choices.every(({ index }) => index === 3)).toBe(true);
  expect(choices.map(({ finish_reason }) => finish_reason)).toEqual([
    ...Array(8).fill(null),
    "tool_calls",
  ]);
  expect(choices[0]?.logprobs?.content).toMatchObject([{ token: "Let me " }]);
  expect(chunks.map(({ truncated }) => truncated).filter(Boolean)).toEqual([
    { messages: 2, tokens: 30 },
  ]);
  expect(chunks.at(-1)?.truncated).toEqual({ messages: 2, tokens: 30 });
});

test("the whole message has the same content", () => {
  const choice = new ChatChoice(3, true);
  for (const event of conversation) choice.take(event);
  expect(choice.toJson()).toEqual({
    index: 3,
    message: {
      role: "assistant",
      content: "I will look.",
      refusal: null,
      reasoning: "Let me see.",
      reasoning_content: "Let me see.",
      tool_calls: [
        { id: "call_a", type: "function", function: { name: "look", arguments: '{"at":1}' } },
        { id: "call_b", type: "function", function: { name: "look", arguments: "{}" } },
      ],
    },
    logprobs: { content: [expect.objectContaining({ token: "Let me " })], refusal: null },
    finish_reason: "tool_calls",
  });
  expect(choice.truncated).toEqual({ messages: 2, tokens: 30 });
});

test("an answer without text has a role, an end, and an empty text", () => {
  const { chunks } = deltasOf([done]);
  expect(chunks.map(({ choices: [{ delta, finish_reason }] }) => [delta, finish_reason])).toEqual([
    [{ role: "assistant", content: "" }, null],
    [{}, "stop"],
  ]);
  const choice = new ChatChoice(0, false);
  choice.take(done);
  expect(choice.toJson()).toMatchObject({ message: { content: "" }, logprobs: null });
});

test("an unfinished call is plain content", () => {
  const text = '<tool_call>{"name": "look", "arguments": {"at';
  const cut: CanonicalEvent[] = [
    { type: "tool-call", index: 0, id: "call_a", name: "look", tokens: 1 },
    { type: "tool-arguments", index: 0, text: '{"at', tokens: 2 },
    { type: "text", text, tokens: 2 },
    { type: "done", reason: "stop", statistics },
  ];
  const choice = new ChatChoice(0, false);
  for (const event of cut) choice.take(event);
  const { message, finish_reason } = choice.toJson();
  expect(message).toEqual({ role: "assistant", content: text, refusal: null });
  expect(finish_reason).toBe("stop");
  const last = deltasOf(cut).chunks.slice(-2);
  expect(last.map(({ choices: [{ delta, finish_reason }] }) => [delta, finish_reason])).toEqual([
    [{ content: text }, null],
    [{}, "stop"],
  ]);
});

test("usage counts a prompt once, and thinking as answer tokens", () => {
  const choices = [0, 1, 2, 3].map(() => deltasOf(conversation).deltas);
  expect(usageOf(choices, 2)).toEqual({
    prompt_tokens: 20,
    completion_tokens: 36,
    total_tokens: 56,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 12 },
  });
});
