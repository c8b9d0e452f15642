// The loop of calls: what the model is told, and its limits.
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { answerWithTools } from "../../../source/chat/conversation/answer-with-tools.ts";
import { messageOf } from "../../../source/chat/conversation/transcript-entry.ts";
import { TurnSteps } from "../../../source/chat/conversation/turn-steps.ts";
import type { ChatEvent, ClientMessage, ClientTool } from "../../../source/client/chat-events.ts";
import type { ToolDescription, ToolImage } from "../../../source/tools/tool.ts";

const tool: ToolDescription = {
  server: "s",
  origin: "o",
  name: "add",
  description: "Adds",
  inputSchema: { type: "object" },
  isReadOnly: false,
};
const statistics = {
  finishReason: "stop",
  promptTokens: 1,
  cachedTokens: 0,
  completionTokens: 1,
  loadMs: 0,
  promptMs: 0,
  completionMs: 0,
  totalMs: 0,
} as const;
const call = (value: number): ChatEvent => ({
  type: "tool-call",
  name: "add",
  arguments: { value },
});
const done: ChatEvent = { type: "done", statistics };

async function play(
  turns: readonly (readonly ChatEvent[])[],
  maxCalls = 25,
  { images = [], sees = true }: { images?: readonly ToolImage[]; sees?: boolean } = {},
) {
  const asked: { messages: readonly ClientMessage[]; tools: readonly ClientTool[] }[] = [];
  const events: ChatEvent[] = [];
  const steps = new TurnSteps();
  const answer = answerWithTools({
    messages: [{ role: "user", content: "?" }],
    maxCalls,
    signal: new AbortController().signal,
    sees: async () => sees,
    tools: {
      offered: async () => [{ name: "add", tool }],
      run: async ({ arguments: values }) => ({
        server: "s",
        arguments: values,
        text: `result ${String(values.value)}`,
        isError: false,
        images,
      }),
    },
    async *turn(messages, tools) {
      yield* turns[asked.push({ messages: [...messages], tools }) - 1] ?? [done];
    },
  });
  for await (const event of answer) {
    events.push(event);
    if (event.type === "text" || event.type === "tool-call" || event.type === "tool-result") {
      steps.receive(event);
    }
  }
  return { asked, events, parts: steps.parts };
}

test("Each turn sees the calls and results before it, and one end is told", async () => {
  const text = (value: string): ChatEvent => ({ type: "text", text: value });
  const { asked, events, parts } = await play([
    [text("Let me see."), call(1), call(2), done],
    [call(3), done],
    [text("6"), done],
  ]);
  expect(events.filter(({ type }) => type === "done")).toHaveLength(1);
  const steps: ClientMessage[] = [
    {
      role: "assistant",
      content: "Let me see.",
      tool_calls: [
        { function: { name: "add", arguments: { value: 1 } } },
        { function: { name: "add", arguments: { value: 2 } } },
      ],
    },
    { role: "tool", content: "result 1", tool_name: "add" },
    { role: "tool", content: "result 2", tool_name: "add" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "add", arguments: { value: 3 } } }],
    },
    { role: "tool", content: "result 3", tool_name: "add" },
  ];
  expect(asked[2]?.messages).toEqual([{ role: "user", content: "?" }, ...steps]);
  // The saved answer gives the model the same conversation again.
  expect(messageOf({ kind: "assistant", id: 1, state: "complete", ...parts })).toEqual([
    ...steps,
    { role: "assistant", content: "6" },
  ]);
});

test("At the limit, calls are not run and tools no longer offered", async () => {
  const { asked, events } = await play([[call(1), call(2), call(3), done]], 2);
  const results = events.flatMap((event) => (event.type === "tool-result" ? [event.text] : []));
  expect(results).toEqual([
    "result 1",
    "result 2",
    "Not run: the limit of 2 calls for a message is reached. Answer now.",
  ]);
  expect(asked.map(({ tools }) => tools.length)).toEqual([1, 0]);
});

test("Calls of an answer that was cut off are not run", async () => {
  const cut: ChatEvent = { type: "done", statistics: { ...statistics, finishReason: "length" } };
  const { asked, events } = await play([[call(1), cut]]);
  expect(asked).toHaveLength(1);
  expect(events.map(({ type }) => type)).toEqual(["tool-call", "done"]);
});

describe("An image of a result", () => {
  const image = { base64: "", type: "image/png" };
  beforeAll(async () => {
    const blue = { width: 4000, height: 8, channels: 3, background: "blue" } as const;
    const bytes = await sharp({ create: blue }).jpeg().toBuffer();
    image.base64 = bytes.toString("base64");
  });

  test("is encoded again, made smaller, and sent after the results to a model with vision", async () => {
    const { asked, events, parts } = await play([[call(1), done]], 25, { images: [image] });
    const [shown] = events.flatMap((event) => (event.type === "tool-result" ? [event] : []));
    expect(shown?.text).toBe("result 1");
    expect(shown?.images).toMatchObject([{ name: "add 1", width: 1568, height: 3 }]);
    const [sent] = asked[1]?.messages.at(-1)?.images ?? [];
    expect((await sharp(Buffer.from(sent ?? "", "base64")).metadata()).format).toBe("png");
    expect(asked[1]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
    // The saved answer gives the model the same conversation again.
    const again = messageOf({ kind: "assistant", id: 1, state: "complete", ...parts });
    expect(again).toMatchObject(asked[1]?.messages.slice(1) ?? []);
  });

  test("is named to a model without vision", async () => {
    const { asked, events } = await play([[call(1), done]], 25, { images: [image], sees: false });
    expect(asked[1]?.messages.at(-1)).toEqual({
      role: "tool",
      content: "result 1\n[1 image, which you cannot see; the user can]",
      tool_name: "add",
    });
    expect(events).toContainEqual(expect.objectContaining({ images: [expect.anything()] }));
  });

  test("that cannot be read is left out, with a note", async () => {
    const broken = { base64: "iVBORw0KGgo=", type: "image/png" };
    const { events } = await play([[call(1), done]], 25, { images: [broken] });
    const [shown] = events.flatMap((event) => (event.type === "tool-result" ? [event] : []));
    expect(shown?.text).toBe("result 1\n[An image (image/png) that cannot be read]");
    expect(shown?.images).toBeUndefined();
  });
});
