// Requests with _debug_render_only, which return the rendered prompt instead of an answer.
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { imageBytes, visionFile } from "../support/load-vision.ts";
import { parseLines } from "../support/ndjson.ts";
import { type ModelFolder, storeOf, thinkingTemplate } from "../support/openai-client.ts";
import { sharedSmallServer } from "../support/shared-server.ts";
import { TestServer } from "../support/test-server.ts";

let store: ModelFolder;
let server: TestServer;

beforeAll(async () => {
  store = await storeOf({
    pirate: {
      system: "You are a pirate.",
      messages: [
        { role: "user", content: "My name is Bob." },
        { role: "assistant", content: "Arr, Bob." },
      ],
    },
    thinker: { template: thinkingTemplate },
    inserting: {
      template: "<|im_start|>user\n{{ .Prompt }}{{ .Suffix }}<|im_end|>\n<|im_start|>assistant\n",
    },
  });
  server = await TestServer.start({
    models: store.path,
    model_folders: [path.dirname(visionFile)],
    log_prompts: true,
  });
});
afterAll(async () => {
  await server.close();
  store.remove();
});

const prompt = "What is the capital of France?";
const user = (content: string) => ({ role: "user", content });
const options = { temperature: 0 };
const tools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "Get the weather in a city",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  },
];
const image = imageBytes("red.png").toString("base64");

interface Shown {
  rendered_template: string;
  image_count?: number;
}

async function shownTo(route: string, body: Record<string, unknown>) {
  const { status, json, text } = await server.post(route, { ...body, _debug_render_only: true });
  expect({ status, text }).toMatchObject({ status: 200 });
  return (json as { _debug_info: Shown })._debug_info;
}

interface Answered {
  prompt_eval_count: number;
  eval_count: number;
}

/** Returns a real answer, and its prompt from the request log. */
async function answered(route: string, body: Record<string, unknown>) {
  const { json, headers, text } = await server.post(route, { ...body, stream: false, options });
  expect(json, text).toMatchObject({ done: true });
  const { json: kept } = await server.send(`/api/requests/${headers.get("x-request-id")}`);
  return { ...(json as Answered), prompt: (kept as { prompt: string }).prompt };
}

describe("the rendered prompt is the one that the model gets", () => {
  const cases: Array<[what: string, route: string, body: Record<string, unknown>, has: string[]]> =
    [
      ["a question", "/api/generate", { model: "tiny", prompt }, [prompt]],
      [
        "the model's own system and messages",
        "/api/generate",
        { model: "pirate", prompt: "What is my name?" },
        ["You are a pirate.", "My name is Bob.", "Arr, Bob.", "What is my name?"],
      ],
      [
        "a system prompt of the request",
        "/api/generate",
        { model: "pirate", prompt, system: "You are a cat." },
        ["You are a cat.", "My name is Bob."],
      ],
      [
        "a template of the request",
        "/api/generate",
        { model: "tiny", prompt, template: "<|im_start|>user\n{{ .Prompt }}!<|im_end|>\n" },
        [`<|im_start|>user\n${prompt}!<|im_end|>\n`],
      ],
      [
        "text in front of a suffix",
        "/api/generate",
        { model: "inserting", prompt: "What is the capital ", suffix: "of France?" },
        [prompt],
      ],
      [
        "a raw prompt",
        "/api/generate",
        { model: "tiny", prompt: "Once upon", raw: true },
        ["Once"],
      ],
      [
        "tools",
        "/api/chat",
        { model: "tiny", messages: [user("What is the weather in Paris?")], tools },
        ["get_weather", "Get the weather in a city"],
      ],
      [
        "a conversation with a call",
        "/api/chat",
        {
          model: "tiny",
          tools,
          messages: [
            user("What is the weather in Paris?"),
            {
              role: "assistant",
              content: "",
              tool_calls: [{ function: { name: "get_weather", arguments: { city: "Paris" } } }],
            },
            { role: "tool", tool_name: "get_weather", content: "sunny" },
          ],
        },
        ["get_weather", "sunny"],
      ],
      [
        "thinking",
        "/api/chat",
        { model: "thinker", messages: [user(prompt)] },
        ["You are a pirate."],
      ],
      [
        "little thinking",
        "/api/chat",
        { model: "thinker", messages: [user(prompt)], think: "low" },
        ["You are a cat."],
      ],
      [
        "an answer that has begun",
        "/api/chat",
        { model: "tiny", messages: [user(prompt), { role: "assistant", content: "The capital" }] },
        ["assistant\nThe capital"],
      ],
    ];

  test.each(cases)("%s", async (_what, route, body, has) => {
    const { rendered_template: shown, image_count: images } = await shownTo(route, body);
    for (const text of has) expect(shown).toContain(text);
    expect(images).toBeUndefined();
    const real = await answered(route, body);
    expect(real.prompt).toBe(shown);
    // Sent as a raw prompt, it gives the same tokens and the same answer.
    const again = await answered("/api/generate", { model: body.model, prompt: shown, raw: true });
    expect(again.prompt_eval_count).toBe(real.prompt_eval_count);
    expect(again.eval_count).toBe(real.eval_count);
  });

  test("without thinking there is no thinking mark", async () => {
    const body = { model: "thinker", messages: [user(prompt)], think: false };
    expect((await shownTo("/api/chat", body)).rendered_template).not.toContain("pirate");
  });

  test("earlier messages come first", async () => {
    const first = await server.post("/api/generate", {
      model: "tiny",
      prompt: "My name is Bob.",
      stream: false,
      options,
    });
    const { context, response } = first.json as { context: number[]; response: string };
    const body = { model: "tiny", prompt: "What is my name?", context };
    const { rendered_template: shown } = await shownTo("/api/generate", body);
    expect(shown).toMatch(/My name is Bob\.[\s\S]*What is my name\?/);
    expect(shown).toContain(response);
    const real = await answered("/api/generate", body);
    expect(real.prompt).toBe(shown);
    const again = await answered("/api/generate", { model: "tiny", prompt: shown, raw: true });
    expect(again.prompt_eval_count).toBe(real.prompt_eval_count);
  });

  test("images are counted and marked by position", async () => {
    const body = { model: visionFile, prompt: "What color is this image?", images: [image] };
    const shown = await shownTo("/api/generate", body);
    expect(shown).toMatchObject({
      rendered_template: expect.stringContaining("[img-0]"),
      image_count: 1,
    });
    const real = await answered("/api/generate", body);
    expect(real.prompt).toBe(shown.rendered_template);
    const raw = { ...body, prompt: shown.rendered_template, raw: true };
    expect(await shownTo("/api/generate", raw)).toEqual(shown);
    const again = await answered("/api/generate", raw);
    expect(again.prompt_eval_count).toBe(real.prompt_eval_count);
    const chat = { model: visionFile, messages: [{ ...user("Which?"), images: [image, image] }] };
    expect(await shownTo("/api/chat", chat)).toMatchObject({ image_count: 2 });
  });
});

describe("the reply", () => {
  const shown = { rendered_template: expect.any(String) };
  const created_at = expect.any(String);

  test.each([undefined, true, false])("is one record when stream is %s", async (stream) => {
    const more = { stream, _debug_render_only: true };
    const generated = await server.post("/api/generate", { model: "tiny", prompt, ...more });
    expect(generated.json).toEqual({
      model: "tiny",
      created_at,
      response: "",
      done: false,
      _debug_info: shown,
    });
    const messages = [user(prompt)];
    const chatted = await server.post("/api/chat", { model: "tiny", messages, ...more });
    expect(chatted.headers.get("content-type")).toContain("application/json");
    expect(chatted.json).toEqual({
      model: "tiny",
      created_at,
      message: { role: "assistant", content: "" },
      done: false,
      _debug_info: shown,
    });
  });

  test("without a prompt is the same as for loading", async () => {
    const body = { model: "tiny", _debug_render_only: true };
    for (const route of ["/api/generate", "/api/chat"]) {
      const { json } = await server.post(route, body);
      expect(json).toMatchObject({ done: true, done_reason: "load" });
      expect(json).not.toHaveProperty("_debug_info");
    }
  });

  test("may follow progress records, one per line", async () => {
    const { json: unloaded } = await server.post("/api/generate", { model: "tiny", keep_alive: 0 });
    expect(unloaded).toMatchObject({ done_reason: "unload" });
    const body = { model: "tiny", prompt, progress: true, _debug_render_only: true };
    const records = parseLines((await server.post("/api/generate", body)).text);
    expect(records.at(-1)).toMatchObject({ done: false, _debug_info: shown });
    for (const { status } of records.slice(0, -1)) expect(status).toMatch(/^loading$|^warming up$/);
  });

  test("is an error when a real request would fail", async () => {
    for (const body of [
      { prompt, think: true },
      { prompt, suffix: "end" },
      { prompt, images: [image] },
      { prompt, format: { type: "nonsense" } },
      { prompt, raw: true, system: "You are a cat." },
      { prompt, context: [1e6] },
    ]) {
      const more = { model: "tiny", _debug_render_only: true };
      const { status } = await server.post("/api/generate", { ...more, ...body });
      expect([body, status]).toEqual([body, 400]);
    }
  });

  test("reports what was left out of a long conversation, and nothing when it fits", async () => {
    const own = await sharedSmallServer();
    const turns = Array.from({ length: 30 }, (_, index) => [
      user(`What is ${index % 10} + 3?`),
      { role: "assistant", content: `${index % 10} + 3 = ${(index % 10) + 3}` },
    ]).flat();
    const body = { model: "tiny", messages: [...turns, user(prompt)], _debug_render_only: true };
    const whole = (await own.post("/api/chat", body)).json as { _debug_info: Shown };
    const { json, headers } = await own.post("/api/chat", { ...body, truncate: true });
    const cut = json as { _debug_info: Shown; truncated: { messages: number; tokens: number } };
    expect(whole).not.toHaveProperty("truncated");
    expect(cut.truncated.messages).toBeGreaterThan(0);
    expect(headers.get("x-modelctl-truncated")).toContain(`messages=${cut.truncated.messages}`);
    const tail = cut._debug_info.rendered_template;
    expect(tail).toContain(prompt);
    expect(tail.length).toBeLessThan(whole._debug_info.rendered_template.length);
  });
});

test("nothing is generated, and the request is logged", async () => {
  const { headers } = await server.post("/api/chat", {
    model: "tiny",
    messages: [user(prompt)],
    _debug_render_only: true,
  });
  await server.untilQuiet();
  const { json } = await server.send(`/api/requests/${headers.get("x-request-id")}`);
  expect(json).toMatchObject({ state: "done", status: 200 });
  expect(json).not.toHaveProperty("completionTokens");
  expect((json as { prompt: string }).prompt).toContain(prompt);
});

describe("POST /api/apply-template", () => {
  const messages = [user(prompt)];

  test("returns the prompt that /api/chat would send, and the tokens it would count", async () => {
    const body = { model: "tiny", messages, tools, options };
    const { json } = await server.post("/api/apply-template", body);
    const shown = await shownTo("/api/chat", { ...body, stream: false });
    const answered = await server.post("/api/chat", { ...body, stream: false });
    const { prompt_eval_count: tokens } = answered.json as { prompt_eval_count: number };
    const expected = { model: "tiny", prompt: shown.rendered_template, tokens, images: 0 };
    expect(json).toEqual(expected);
    const asOpenAi = await server.post("/apply-template", { model: "tiny", messages, tools });
    expect(asOpenAi.json).toEqual(expected);
  });

  test("counts the tokens of images", async () => {
    const withImage = [{ ...user("What is this?"), images: [image] }];
    const { json } = await server.post("/api/apply-template", {
      model: visionFile,
      messages: withImage,
    });
    const { tokens, images } = json as { tokens: number; images: number };
    expect(images).toBe(1);
    expect(tokens).toBeGreaterThan(36);
  });

  test.each(["/api/apply-template", "/apply-template"])(
    "%s wants a conversation",
    async (route) => {
      const { status, text } = await server.post(route, { model: "tiny", messages: [] });
      expect(status).toBe(400);
      expect(text).toContain("messages");
    },
  );
});
