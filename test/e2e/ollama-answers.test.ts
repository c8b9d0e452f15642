// Options of the native API that shape an answer: tools, formats, thinking, templates, context.
import { Ollama } from "ollama";
import { beforeAll, describe, expect, test } from "vitest";
import { recordsOf } from "../support/ndjson.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: Ollama;

beforeAll(async () => {
  server = await sharedServer();
  client = new Ollama({ host: server.url });
});

const model = "tiny";
const user = (content: string) => ({ role: "user", content });

/** Template in the model's own format, for one question and one answer. */
const plainTemplate =
  "{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}" +
  "<|im_start|>user\n{{ .Prompt }}<|im_end|>\n<|im_start|>assistant\n";

describe("tools", () => {
  const weather = {
    type: "function",
    function: {
      name: "get_weather",
      description: "Get the weather in a city",
      parameters: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      },
    },
  };
  const question = user("What is the weather in Paris?");
  const call = {
    id: expect.stringMatching(/^call_[a-z0-9]{8}$/),
    function: { index: 0, name: "get_weather", arguments: { city: "Paris" } },
  };

  test("are called, whole and streamed, and their results used", async () => {
    const tools = [weather];
    const { message, done_reason } = await client.chat({ model, messages: [question], tools });
    expect(message).toEqual({ role: "assistant", content: "", tool_calls: [call] });
    expect(done_reason).toBe("stop");
    const result = { role: "tool", content: "sunny, 21 degrees", tool_name: "get_weather" };
    const messages = [question, message, result];
    const last = await client.chat({ model, messages, tools });
    expect(last.message).toEqual({
      role: "assistant",
      content: "The tool says: sunny, 21 degrees",
    });
  });

  test("are sent as one record of a stream, never in pieces", async () => {
    const records = [];
    const tools = [weather];
    for await (const record of await client.chat({
      model,
      messages: [question],
      tools,
      stream: true,
    })) {
      records.push(record);
    }
    const calling = records.filter(({ message }) => message.tool_calls !== undefined);
    expect(calling.map(({ message }) => message)).toEqual([
      { role: "assistant", content: "", tool_calls: [call] },
    ]);
    expect(records.map(({ message }) => message.content).join("")).toBe("");
    expect(records.at(-1)).toMatchObject({ done: true, done_reason: "stop" });
  });

  test("are not called when not needed", async () => {
    const { message } = await client.chat({
      model,
      messages: [user("What is the capital of Spain?")],
      tools: [weather],
    });
    expect(message).toEqual({ role: "assistant", content: "The capital of Spain is Madrid." });
  });

  test("may omit optional fields or set them to null", async () => {
    const tools = [{ function: { name: "get_weather", description: null, parameters: null } }];
    const messages = [
      question,
      {
        role: "ASSISTANT",
        content: null,
        thinking: null,
        images: null,
        tool_calls: [{ function: { name: "get_weather", arguments: null } }],
      },
      { role: "tool", content: "rain", tool_name: null, tool_call_id: "call_1" },
    ];
    const [record] = await recordsOf(server, "/api/chat", {
      model,
      messages,
      tools,
      stream: false,
    });
    expect(record).toMatchObject({ message: { content: "The tool says: rain" }, done: true });
  });

  test.each([
    ["arguments as a text", { function: { name: "f", arguments: '{"city":"Paris"}' } }],
    ["arguments as a list", { function: { name: "f", arguments: ["Paris"] } }],
    ["a call without a function", { id: "call_1" }],
  ])("%s is refused", async (_what, wrong) => {
    const messages = [question, { role: "assistant", content: "", tool_calls: [wrong] }];
    const { status, json } = await server.post("/api/chat", { model, messages });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringContaining("messages.1.tool_calls.0") });
  });

  test("that are not functions or have no name are refused", async () => {
    for (const tool of [{ type: "web_search" }, { type: "function", function: { name: "" } }]) {
      const { status, json } = await server.post("/api/chat", {
        model,
        messages: [question],
        tools: [tool],
      });
      expect([status, json]).toEqual([
        400,
        expect.objectContaining({ error: expect.stringContaining("tools.0") }),
      ]);
    }
  });
});

describe("thinking", () => {
  // The pirate's answers begin with "Arr,", which is the opening tag of thinking here; a word of the
  // answer is the closing tag. Without thinking the model is no pirate.
  const template =
    "{{ if .Think }}<|im_start|>system\nYou are a {{ if eq .ThinkLevel `low` }}cat{{ else }}pirate{{ end }}.<|im_end|>\n{{ end }}" +
    "{{ range .Messages }}<|im_start|>{{ .Role }}\n" +
    "{{ if .Thinking }}Arr,{{ .Thinking }}France{{ end }}{{ .Content }}<|im_end|>\n{{ end }}" +
    "<|im_start|>assistant\n";
  const request = { model, prompt: "What is the capital of France?", template };

  test("is separate from the answer, streamed or not", async () => {
    const [whole] = await recordsOf(server, "/api/generate", { ...request, stream: false });
    expect(whole).toMatchObject({ thinking: "The capital of", response: "is Paris." });
    const records = await recordsOf(server, "/api/generate", { ...request, think: true });
    const join = (field: string) => records.map((record) => record[field] ?? "").join("");
    expect([join("thinking"), join("response")]).toEqual(["The capital of", "is Paris."]);
    for (const { thinking, response, done } of records) {
      expect(typeof response).toBe("string");
      // Thinking comes first, in separate records.
      expect(thinking === undefined || response === "").toBe(true);
      expect(thinking === undefined || done === false).toBe(true);
    }
  });

  test("is switched off and set to a level", async () => {
    const off = await client.generate({ ...request, think: false });
    expect(off.thinking).toBeUndefined();
    expect(off.response).toBe("The capital of France is Paris.");
    const low = await client.generate({ ...request, think: "low" });
    expect(low.response).toBe("Meow, The capital of France is Paris.");
  });

  test("has log-probabilities for its own tokens", async () => {
    const records = await recordsOf(server, "/api/generate", { ...request, logprobs: true });
    const tokens = records.flatMap(({ logprobs }) => (logprobs ?? []) as Array<{ token: string }>);
    expect(tokens.map(({ token }) => token).join("")).toBe("Arr, The capital of France is Paris.");
  });

  test.each([true, "low", "medium", "high", "max"])(
    "%j is refused by a model that cannot think",
    async (think) => {
      for (const path of ["/api/generate", "/api/chat"]) {
        const body = { model, prompt: "Hello!", messages: [user("Hello!")], think };
        const { status, json } = await server.post(path, body);
        expect(status).toBe(400);
        expect(json).toMatchObject({
          error: expect.stringMatching(/^"tiny" does not support thinking/),
        });
      }
    },
  );

  test("is refused with an error that Ollama's client throws", async () => {
    const asked = client.chat({ model, messages: [user("Hello!")], think: true });
    await expect(asked).rejects.toMatchObject({
      name: "ResponseError",
      status_code: 400,
      error: expect.stringContaining('"tiny" does not support thinking'),
    });
  });

  test("false is accepted by any model", async () => {
    const { message } = await client.chat({
      model,
      messages: [user("What is 2 + 3?")],
      think: false,
    });
    expect(message.content).toBe("2 + 3 = 5");
  });

  test.each(["yes", "true", "", 1, 0, {}, []])("%j is not a valid value", async (think) => {
    const { status, json } = await server.post("/api/generate", { ...request, think });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringMatching(/^invalid think value/) });
  });
});

describe("formats", () => {
  const question = "What is the capital of France?";

  test('"json" makes every answer an object', async () => {
    const { message } = await client.chat({ model, messages: [user(question)], format: "json" });
    expect(JSON.parse(message.content)).toBeTypeOf("object");
    const { response } = await client.generate({
      model,
      prompt: "Reply in JSON with the capital of France.",
      format: "json",
    });
    expect(JSON.parse(response ?? "")).toEqual({ capital: "Paris" });
  });

  test("a schema shapes every answer", async () => {
    const format = {
      type: "object",
      properties: { capital: { enum: ["Rome", "Paris", "Oslo"] } },
      required: ["capital"],
      additionalProperties: false,
    };
    const prompt = "Reply in JSON with the capital of France.";
    const { response } = await client.generate({ model, prompt, format });
    expect(JSON.parse(response ?? "")).toEqual({ capital: "Paris" });
    const other = await client.chat({ model, messages: [user("Hello!")], format });
    expect(["Rome", "Paris", "Oslo"]).toContain(JSON.parse(other.message.content).capital);
  });

  test.each([null, ""])("%j means no format", async (format) => {
    const [record] = await recordsOf(server, "/api/generate", {
      model,
      prompt: question,
      format,
      stream: false,
    });
    expect(record).toMatchObject({ response: "The capital of France is Paris." });
  });

  test.each(["xml", "JSON", 1, true, [], ["json"]])("%j is refused", async (format) => {
    for (const path of ["/api/generate", "/api/chat"]) {
      const body = { model, prompt: question, messages: [user(question)], format };
      const { status, json } = await server.post(path, body);
      expect(status).toBe(400);
      expect(json).toMatchObject({ error: expect.stringMatching(/^invalid format: /) });
    }
  });

  test("an invalid schema is refused with its position before the model is loaded", async () => {
    const format = { type: "object", properties: { a: { type: "nothing" } } };
    const { status, json } = await server.post("/api/generate", {
      model,
      prompt: question,
      format,
    });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringContaining("properties") });
  });
});

describe("templates", () => {
  const prompt = "Hello!";
  const answer = "Hello! How can I help you today?";

  test("of a request replace the model's template", async () => {
    const system = "You are a cat.";
    const own = await client.generate({ model, prompt, system, template: plainTemplate });
    expect(own.response).toBe(`Meow, ${answer}`);
    const bare = await client.generate({
      model,
      prompt,
      system,
      template: plainTemplate.replace("{{ .System }}", "You are a robot."),
    });
    expect(bare.response).toBe(`Beep, ${answer}`);
  });

  test("that are invalid or call unknown functions fail with 400", async () => {
    for (const template of ["{{ if }}", "{{ .Prompt", "{{ nothing .Prompt }}", "{{ end }}"]) {
      const { status, json } = await server.post("/api/generate", { model, prompt, template });
      expect([template, status]).toEqual([template, 400]);
      expect(json).toMatchObject({ error: expect.stringContaining("line 1") });
    }
  });

  test("with a suffix fill in the text between", async () => {
    const { response } = await client.generate({
      model,
      template: "<|im_start|>user\n{{ .Prompt }}{{ .Suffix }}<|im_end|>\n<|im_start|>assistant\n",
      prompt: "What is the capital ",
      suffix: "of France?",
    });
    expect(response).toBe("The capital of France is Paris.");
  });

  test("without a suffix refuse one", async () => {
    const { status, json } = await server.post("/api/generate", { model, prompt, suffix: "end" });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringContaining("does not support insert") });
  });
});

describe("context", () => {
  test("of an answer is put before the next prompt", async () => {
    const first = await client.generate({ model, prompt: "My name is Bob." });
    expect(first.context.every(Number.isInteger)).toBe(true);
    const { context } = first;
    const second = await client.generate({ model, prompt: "What is my name?", context });
    expect(second.response).toBe("Your name is Bob.");
    expect(second.context.slice(0, context.length)).toEqual(context);
    // All of it was evaluated, except the cached part.
    expect(second.prompt_eval_count).toBeGreaterThan(context.length);
  });

  test("is only in the final record of a stream, and not for raw prompts or chats", async () => {
    const records = await recordsOf(server, "/api/generate", { model, prompt: "Hello!" });
    const withContext = records.filter((record) => "context" in record);
    expect(withContext).toEqual([records.at(-1)]);
    const [raw] = await recordsOf(server, "/api/generate", {
      model,
      prompt: "Hello!",
      raw: true,
      stream: false,
      options: { num_predict: 2 },
    });
    expect(raw).not.toHaveProperty("context");
    const [chat] = await recordsOf(server, "/api/chat", {
      model,
      messages: [user("Hello!")],
      stream: false,
    });
    expect(chat).not.toHaveProperty("context");
  });

  test.each([[[-1]], [[786]], [[2 ** 31]], [[1e300]]])(
    "%j contains unknown tokens",
    async (context) => {
      const { status, json } = await server.post("/api/generate", { model, prompt: "Hi", context });
      expect(status).toBe(400);
      expect(json).toMatchObject({ error: expect.stringContaining(`Token ${context[0]}`) });
    },
  );
});

describe("raw prompts", () => {
  test.each([
    { suffix: "end" },
    { think: true },
    { think: "high" },
    { system: "You are a cat.", template: "{{ .Prompt }}", context: [1] },
  ])("refuse fields that cannot apply: %j", async (field) => {
    const body = { model, prompt: "Hello!", raw: true, ...field };
    const { status, json } = await server.post("/api/generate", body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringMatching(/raw/) });
  });

  test("accept empty fields", async () => {
    const empty = { system: "", template: "", suffix: "", context: [], think: false, format: "" };
    const { status } = await server.post("/api/generate", {
      model,
      prompt: "Hello!",
      raw: true,
      options: { num_predict: 1 },
      ...empty,
    });
    expect(status).toBe(200);
  });
});

describe("images", () => {
  const dot =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const send = async (image: string, prompt = "What color is this image?") => {
    const generated = await server.post("/api/generate", { model, prompt, images: [image] });
    const messages = [{ ...user(prompt), images: [image] }];
    const chatted = await server.post("/api/chat", { model, messages });
    expect(chatted.status).toBe(prompt === "" ? 400 : generated.status);
    if (prompt !== "") expect(chatted.json).toEqual(generated.json);
    return generated;
  };

  test.each([dot, `data:image/png;base64,${dot}`, `DATA:image/PNG;BASE64,${dot}`])(
    "are refused by a model without vision: %.30s…",
    async (image) => {
      const { status, json } = await send(image);
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: expect.stringContaining('"tiny" does not support images'),
        code: "ENGINE_CAPABILITY_MISSING",
      });
    },
  );

  test.each([
    ["aGk", 0],
    ["aGk=\u00e9", 4],
    ["!aGk=", 0],
    ["data:image/png;base64,aG!=", 2],
    ["data:image/png,aGk=", 4],
  ])("with invalid base64 are reported with their position: %j", async (image, at) => {
    const { status, json } = await send(image);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: `illegal base64 data at input byte ${at}` });
  });

  test("without a prompt are ignored, and the model is loaded", async () => {
    const { json } = await send(dot, "");
    expect(json).toMatchObject({ done_reason: "load" });
  });
});
