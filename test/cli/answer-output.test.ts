// Output besides the answer: statistics, progress, notes about a deviation from the request.
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { TranscriptEntry } from "../../source/chat/conversation/transcript-entry.ts";
import { formatStatistics, progressText } from "../../source/cli/answer-output.ts";
import { LineAnswer } from "../../source/cli/line-answer.ts";
import { printAnswer } from "../../source/cli/one-shot.ts";
import { ApiClient } from "../../source/client/api-client.ts";
import type { AnswerStatistics, ChatEvent } from "../../source/client/chat-events.ts";
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

/** Returns the exit code of `run MODEL PROMPT` for these events. */
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
    flags: {},
    link: async () => link,
  });
}

/** Returns the line chat's conversation after an answer with these events. */
async function chatOnce(events: readonly ChatEvent[]): Promise<readonly TranscriptEntry[]> {
  const backend = new ScriptedBackend();
  backend.chat = async function* () {
    yield* events;
  };
  let kept: readonly TranscriptEntry[] = [];
  const line = new LineAnswer({
    backend,
    tools: undefined,
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

test("warnings are lines of their own, beside the answer", async () => {
  const sentence = "Unloaded first: tiny needs the room, and it was used least recently.";
  const events: ChatEvent[] = [
    { type: "warning", kind: "evicted", sentence },
    { type: "text", text: "Yes." },
    { type: "done", statistics: whole },
  ];
  expect(await runOnce(events)).toBe(0);
  expect([output, errors]).toEqual(["Yes.\n", `${sentence}\n`]);
  errors = "";
  expect((await chatOnce(events)).at(-1)).toMatchObject({ text: "Yes.", state: "complete" });
  expect(errors).toBe(`${sentence}\n`);
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

describe("the figures of --verbose", () => {
  const statistics = {
    finishReason: "stop",
    promptTokens: 26,
    cachedTokens: 10,
    completionTokens: 11,
    loadMs: 1.5,
    promptMs: 100,
    completionMs: 2000,
    totalMs: 65_000,
  } as const;

  test("are Ollama's, with rates of computed tokens", () => {
    expect(formatStatistics(statistics)).toBe(
      [
        "total duration:       1m5s",
        "load duration:        1.5ms",
        "prompt eval count:    26 token(s)",
        "prompt cached count:  10 token(s)",
        "prompt eval duration: 100ms",
        "prompt eval rate:     160.00 tokens/s",
        "eval count:           11 token(s)",
        "eval duration:        2s",
        "eval rate:            5.00 tokens/s",
        "",
      ].join("\n"),
    );
  });

  test("tell how many guessed tokens were right", () => {
    const text = formatStatistics({ ...statistics, drafted: 30, accepted: 26 });
    expect(text).toContain("drafted count:        30 token(s), 26 accepted\n");
    expect(formatStatistics({ ...statistics, drafted: 0, accepted: 0 })).not.toContain("drafted");
  });

  test("have no rate of a prompt that was almost all cached", () => {
    const text = formatStatistics({ ...statistics, cachedTokens: 11 });
    expect(text).toContain("prompt eval duration: 100ms");
    expect(text).not.toContain("prompt eval rate");
  });

  test("leave out zero values", () => {
    const nothing = { ...statistics, cachedTokens: 0, loadMs: 0, completionMs: 0 };
    const text = formatStatistics(nothing);
    for (const label of ["load duration", "cached", "eval rate:            ", "\neval duration"]) {
      expect(text).not.toContain(label);
    }
    expect(text).not.toMatch(/NaN|Infinity/);
  });
});

describe("progress", () => {
  test.each([
    [{ type: "checking", file: "a.gguf", fraction: 0.426 } as const, "checking a.gguf 42 %"],
    [{ type: "loading", fraction: 0.426 } as const, "loading tiny 42 %"],
    [{ type: "warming-up" } as const, "warming up tiny"],
    [{ type: "queued", ahead: 0 } as const, "waiting, next in line"],
    [{ type: "queued", ahead: 3 } as const, "waiting, 3 ahead"],
    [
      { type: "prompt", completedTokens: 500, totalTokens: 1000 } as const,
      "reading 1000 tokens 50 %",
    ],
    [{ type: "prompt", completedTokens: 5, totalTokens: 10 } as const, undefined],
    [{ type: "text", text: "a" } as const, undefined],
  ])("of %j prints %j", (event, text) => {
    expect(progressText(event, "tiny")).toBe(text);
  });
});
