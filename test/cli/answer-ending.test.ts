// Notes on the command line about an answer that differs from the request.
import { beforeEach, expect, test, vi } from "vitest";
import { LineAnswer } from "../../source/cli/line-answer.ts";
import { printAnswer } from "../../source/cli/one-shot.ts";
import { ApiClient } from "../../source/client/api-client.ts";
import type { AnswerStatistics, ChatEvent } from "../../source/client/chat-events.ts";
import type { TranscriptEntry } from "../../source/ui/screens/chat/conversation/transcript-entry.ts";
import { ScriptedBackend } from "../ui/support/scripted-backend.ts";

const whole: AnswerStatistics = {
  finishReason: "stop",
  promptTokens: 12,
  cachedTokens: 0,
  completionTokens: 3,
  loadMs: 0,
  promptMs: 40,
  completionMs: 500,
  totalMs: 600,
};
const flags = { verbose: false, plain: false, debug: false, background: false, origin: false };
const call: ChatEvent = { type: "tool-call", name: "weather", arguments: { city: "Paris" } };
const callText = 'weather({"city":"Paris"})\n';

let output: string;
let errors: string;

beforeEach(() => {
  output = "";
  errors = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    output += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    errors += String(text);
    return true;
  });
  return () => vi.restoreAllMocks();
});

/** The exit code of `run MODEL PROMPT` whose answer is these events. */
async function runOnce(events: readonly ChatEvent[]): Promise<number> {
  const link = {
    client: new ApiClient({ url: "http://127.0.0.1:1" }),
    ask: async function* () {
      yield* events;
    },
    close: async () => {},
  };
  return await printAnswer({
    model: "tiny",
    prompt: "Hi",
    flags,
    link: async () => link,
  });
}

/** The line chat's conversation after an answer with these events. */
async function chatOnce(events: readonly ChatEvent[]): Promise<readonly TranscriptEntry[]> {
  const backend = new ScriptedBackend();
  backend.chat = async function* () {
    yield* events;
  };
  let kept: readonly TranscriptEntry[] = [];
  const line = new LineAnswer({
    backend,
    hidesThinking: false,
    folder: "/",
    read: () => ({ entries: [], settings: { system: undefined, parameters: {} } }),
    change: (entries) => {
      kept = entries;
    },
  });
  await line.ask("Hi", "Hi", new AbortController().signal);
  return kept;
}

test("a cancelled answer is not reported as a success", async () => {
  const events: ChatEvent[] = [
    { type: "text", text: "Once" },
    { type: "done", statistics: { ...whole, finishReason: "cancelled" } },
  ];
  expect(await runOnce(events)).toBe(130);
  expect([output, errors]).toEqual(["Once\n", "The server cancelled the answer.\n"]);
  errors = "";
  expect((await chatOnce(events)).at(-1)).toMatchObject({ text: "Once", state: "stopped" });
  expect(errors).toBe("The server cancelled the answer.\n");
});

test("dropped turns of the conversation are reported", async () => {
  const truncated = { messages: 4, tokens: 900 };
  const events: ChatEvent[] = [
    { type: "text", text: "Yes." },
    { type: "done", statistics: { ...whole, truncated } },
  ];
  const sentence = "The 4 oldest messages were left out, to fit the context window.\n";
  expect(await runOnce(events)).toBe(0);
  expect([output, errors]).toEqual(["Yes.\n", sentence]);
  errors = "";
  expect((await chatOnce(events)).at(-1)).toMatchObject({ text: "Yes.", state: "complete" });
  expect(errors).toBe(sentence);
});

test("tool calls are printed, and stay in the conversation", async () => {
  const events: ChatEvent[] = [call, { type: "done", statistics: whole }];
  expect(await runOnce(events)).toBe(0);
  expect([output, errors]).toEqual([`${callText}\n`, ""]);
  expect((await chatOnce(events)).at(-1)).toMatchObject({
    kind: "assistant",
    text: "",
    toolCalls: [{ name: "weather", arguments: { city: "Paris" } }],
  });
});
