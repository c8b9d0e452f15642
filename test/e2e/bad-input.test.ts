// Every error in a request or a file is one sentence, and the server survives.
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChatBody, GenerateBody } from "../../source/server/routes/native/schema.ts";
import { ChatCompletionBody } from "../../source/server/routes/openai/schema.ts";
import { withoutEffectText } from "../../source/server/unknown-fields.ts";
import { Home, tinyFile } from "../support/command-line.ts";
import { badFiles, releasePipe } from "../support/gguf-variants.ts";
import { sendBytes, sendRaw } from "../support/http-raw.ts";
import { isProof } from "../support/proof.ts";
import { type Program, readableProgram } from "../support/readable-program.ts";
import { sharedSmallServer } from "../support/shared-server.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let folder: string;
let server: TestServer;
let home: Home;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-models-"));
  server = await TestServer.start({ model_folders: [folder] });
  home = await Home.create();
});
afterAll(async () => {
  // After hundreds of mistakes the model still answers.
  await server.untilQuiet();
  expect(await server.ask("What is 2 + 3?")).toBe("2 + 3 = 5");
  await server.close();
  await home.remove();
  rmSync(folder, { recursive: true, force: true });
});

const capital = "What is the capital of France?";
const model = "tiny";
const messages = [{ role: "user", content: "Hello!" }];

interface NativeError {
  error: string;
  code: string;
}
interface OpenaiError {
  error: { message: string; type: string; param: string | null; code: string };
}

describe("unusable model files", () => {
  const files = badFiles.map((file) => ({ ...file, title: file.name }));

  test.each(files)("over both APIs and on the command line: $title", async (bad) => {
    const { name, make, status, exitCode, says } = bad;
    const file = path.join(folder, `${name.replaceAll(" ", "-")}.gguf`);
    make(file);
    try {
      const signal = AbortSignal.timeout(20_000);
      const ask = async (route: string, more: Record<string, unknown>) =>
        await server.send(route, {
          method: "POST",
          body: JSON.stringify({ model: file, ...more }),
          signal,
        });
      const native = await ask("/api/generate", { prompt: "Hello!" });
      const { error } = native.json as NativeError;
      expect(error).toMatch(says);
      expect(error).not.toMatch(/\n/);
      expect(native.status).toBe(status);
      const openai = await ask("/v1/chat/completions", { messages });
      expect(openai.status).toBe(status);
      expect((openai.json as OpenaiError).error).toMatchObject({
        message: error,
        type: status === 404 ? "not_found_error" : "invalid_request_error",
      });
      // It leaves no entry in the list of loaded and loading models.
      expect((await server.loaded()).filter((loaded) => loaded.name === file)).toEqual([]);
      const command = await home.call(["run", file, "Hello!", "--connect", server.url]);
      expect(command).toMatchObject({ code: exitCode, output: "" });
      expect(command.errors).toMatch(/^Error: .+\n$/);
      expect(command.errors).toMatch(says);
    } finally {
      if (name.startsWith("a pipe")) releasePipe(file);
    }
  });

  test("a file that llama.cpp rejects is reported with llama.cpp's reason every time", async () => {
    const file = path.join(folder, "contradiction.gguf");
    const bytes = readFileSync(tinyFile);
    const key = "llama.embedding_length";
    // The key is followed by its type and the number: a wrong width for the weights.
    bytes.writeUInt32LE(256, bytes.indexOf(key) + key.length + 4);
    writeFileSync(file, bytes);
    for (let time = 1; time <= (isProof ? 10 : 2); time += 1) {
      const { json } = await server.post("/api/generate", { model: file, prompt: "Hello!" });
      expect(json).toMatchObject({
        error: expect.stringMatching(/^llama\.cpp refused .*invalid n_rot/),
        code: "ENGINE_LOAD_FAILED",
      });
    }
  });

  test("a repaired file is loaded by the next request", async () => {
    const file = path.join(folder, "mended.gguf");
    for (const bad of badFiles.filter(({ name }) =>
      (isProof ? /broken chat template|web page/ : /web page/).test(name),
    )) {
      bad.make(file);
      expect((await server.post("/api/generate", { model: file, prompt: "Hello!" })).status).toBe(
        400,
      );
      copyFileSync(tinyFile, file);
      expect(await server.ask(capital, file)).toBe("The capital of France is Paris.");
      await server.post("/api/generate", { model: file, keep_alive: 0 });
      await server.untilQuiet();
      rmSync(file);
    }
  });

  test("a model whose file was deleted can still be unloaded", async () => {
    for (const route of ["/api/generate", "/api/chat"]) {
      const file = path.join(folder, "gone.gguf");
      copyFileSync(tinyFile, file);
      expect(await server.ask(capital, file)).toBe("The capital of France is Paris.");
      rmSync(file);
      expect((await server.post("/api/generate", { model: file, prompt: "Hello!" })).status).toBe(
        404,
      );
      expect((await server.loaded()).map(({ name }) => name)).toContain(file);
      const unload = { model: file, keep_alive: 0, stream: false };
      expect((await server.post(route, unload)).json).toMatchObject({ done_reason: "unload" });
      await until(
        async () => (await server.loaded()).map(({ name }) => name),
        (names) => !names.includes(file),
      );
      expect((await server.post(route, unload)).status).toBe(404);
    }
  });

  test("an unreadable file is refused with 403 and exit code 4", async () => {
    const own = await Home.create();
    let program: Program | undefined;
    try {
      const file = path.join(own.folder, "secret.gguf");
      copyFileSync(tinyFile, file);
      chmodSync(file, 0o000);
      // Root can read everything, so the command runs as nobody then.
      const nobody = 65_534;
      if (process.getuid?.() === 0) {
        program = readableProgram();
        chownSync(own.folder, nobody, nobody);
      }
      const words = ["run", file, "Hello!"];
      const outcome =
        program === undefined
          ? await own.run(words)
          : await own.startProgram(program.node, [program.entry, ...words], {
              userId: nobody,
            }).ended;
      expect(outcome).toMatchObject({ code: 4, output: "" });
      expect(outcome.errors).toMatch(
        /^Error: .*secret\.gguf cannot be read: permission denied.+\n$/,
      );
      const reply = await fetch(`${own.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "x-modelctl-owner": own.serverFile()?.token ?? "" },
        body: JSON.stringify({ model: file, messages }),
      });
      expect(reply.status).toBe(403);
      expect(await reply.json()).toMatchObject({ error: { code: "STORE_FILE_UNREADABLE" } });
    } finally {
      await own.remove();
      program?.remove();
    }
  });

  test("a path outside the model folders gets the same error whether or not it exists", async () => {
    for (const file of [tinyFile, "/no/such/file.gguf", path.join(folder, "..", "x.gguf")]) {
      for (const name of [file, `${folder}/../${path.relative(path.dirname(folder), file)}`]) {
        const { status, json } = await server.post("/api/generate", { model: name, prompt: "x" });
        expect(status).toBe(403);
        expect((json as NativeError).error).toContain("is not allowed over the network");
      }
    }
    const wrongToken = await server.post(
      "/api/generate",
      { model: tinyFile, prompt: "x" },
      { "x-modelctl-owner": "guessed" },
    );
    expect(wrongToken.status).toBe(403);
    const owner = await server.post(
      "/api/generate",
      { model: tinyFile },
      { "x-modelctl-owner": server.hosted.ownerToken },
    );
    expect(owner.status).toBe(200);
    expect((await server.send(`/v1/models/${tinyFile}`)).status).toBe(403);
  });
});

describe("request bodies", () => {
  const routes = ["/api/generate", "/api/chat", "/v1/chat/completions"];
  const errorOf = (route: string, json: unknown) =>
    route.startsWith("/v1") ? (json as OpenaiError).error.message : (json as NativeError).error;

  const bad: Array<[what: string, body: string, says: RegExp]> = [
    ["empty", "", /^missing request body/],
    ["blank", " \n ", /^missing request body/],
    ["cut off", '{"model":"tiny","prompt":', /not JSON/],
    ["a form", "model=tiny&prompt=Hello", /not JSON/],
    ["an array", "[]", /must be an object/],
    ["a text", '"tiny"', /must be an object/],
    ["null", "null", /must be an object/],
    ["with a byte order mark", '\ufeff{"model":"tiny"}', /not JSON/],
    ["two values", '{"model":"tiny"}{"model":"tiny"}', /not JSON/],
    ["nested very deep", "[".repeat(100_000), /not JSON/],
  ];

  test.each(
    routes.flatMap((route) => bad.map(([what, body, says]) => ({ route, what, body, says }))),
  )("$route refuses a body that is $what", async ({ route, body, says }) => {
    const { status, json, headers } = await server.post(route, body);
    expect(status).toBe(400);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(errorOf(route, json)).toMatch(says);
  });

  test.each(["/api/generate", "/api/chat"])(
    "%s answers an empty body with Ollama's text",
    async (route) => {
      const { status, json } = await server.send(route, { method: "POST" });
      expect(status).toBe(400);
      expect(json).toMatchObject({ error: "missing request body" });
    },
  );

  test("an unknown role is reported with its position", async () => {
    const conversation = [...messages, { role: "assistant", content: "Hi." }, { role: "king" }];
    for (const route of ["/api/chat", "/v1/chat/completions"]) {
      const { status, json } = await server.post(route, { model, messages: conversation });
      expect(status).toBe(400);
      expect(errorOf(route, json)).toMatch(/^'messages\.2\.role' is "king", .*one of system,/);
    }
  });

  test("a body that is not an object has a null param in OpenAI's shape", async () => {
    const { json } = await server.post("/v1/chat/completions", "[]");
    expect(json).toEqual({
      error: {
        message: expect.any(String),
        type: "invalid_request_error",
        param: null,
        code: expect.any(String),
      },
    });
  });

  test("JSON is parsed whatever the content type says", async () => {
    const body = JSON.stringify({ model, messages, stream: false });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "nonsense"]) {
      const { status } = await server.post("/api/chat", body, { "content-type": type });
      expect([type, status]).toEqual([type, 200]);
    }
  });

  test("invalid UTF-8 becomes replacement characters, as in Ollama", async () => {
    const body = Buffer.concat([
      Buffer.from('{"model":"tiny","stream":false,"prompt":"Hello!'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    const { status, text } = await sendRaw(`${server.url}/api/generate`, { method: "POST", body });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ done: true });
  });

  test.each(["/api/generate", "/v1/chat/completions"])(
    "%s refuses a body over its limit before all of it is sent",
    async (route) => {
      const { status, text } = await sendRaw(server.url + route, {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": String(2 ** 30) },
      });
      expect(status).toBe(413);
      expect(errorOf(route, JSON.parse(text))).toContain("too large");
    },
  );

  test("names of object properties such as __proto__ are ordinary names", async () => {
    const body =
      '{"model":"tiny","prompt":"Hello!","stream":false,"options":{"constructor":1,"__proto__":{"seed":1},"toString":2},"__proto__":{"model":"x"}}';
    const { status } = await server.post("/api/generate", body);
    expect(status).toBe(200);
  });
});

describe("fields of the wrong type", () => {
  const text = [1, true, {}, ["a"]];
  const flag = ["true", 1, {}, []];
  const count = ["1", 1.5, true, {}, []];
  const number = ["1", true, {}, []];
  const record = ["a", 1, true, []];
  const list = ["a", 1, true, {}];

  const common: Record<string, unknown[]> = {
    stream: flag,
    options: record,
    keep_alive: [true, {}, [], "soon", "5 parsecs", ""],
    logprobs: flag,
    top_logprobs: [...count, -1, 21],
    progress: flag,
    think: ["yes", true, 1, {}],
    format: ["xml", true, 1, []],
    truncate: flag,
    shift: flag,
    _debug_render_only: flag,
  };
  const generate: Record<string, unknown[]> = {
    ...common,
    model: text,
    prompt: text,
    system: text,
    raw: flag,
    suffix: [...text, "end"],
    template: text,
    context: [...list, ["a"], [1.5]],
    images: [...list, ["aGVsbG8="]],
  };
  const chat: Record<string, unknown[]> = {
    ...common,
    model: text,
    messages: [...list, [1], [["a"]], [{}], [{ role: 1 }], [{ role: "user", content: 1 }]],
    tools: [...list, [1], [{}], [{ type: "function", function: {} }]],
  };
  const completion: Record<string, unknown[]> = {
    model: text,
    messages: [
      ...list,
      [],
      [1],
      [{}],
      [{ role: 1, content: "a" }],
      [{ role: "user" }],
      [{ role: "user", content: 1 }],
      [{ role: "user", content: null }],
      [{ role: "user", content: [{ type: "text" }] }],
      [{ role: "user", content: [{ type: "video", text: "a" }] }],
      [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] }],
      [{ role: "assistant", tool_calls: [{ id: "1" }] }],
      [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: {} } }] }],
      [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: "{" } }] }],
      [{ role: "user", content: "a", tool_calls: [{ function: { name: "f", arguments: "{}" } }] }],
      [{ role: "assistant", function_call: { name: "f", arguments: "{}" } }],
      [{ role: "assistant", content: "a", audio: { id: "b" } }],
      [{ role: "tool", content: null, tool_call_id: "1" }],
      [{ role: "tool", content: "a", tool_call_id: 1 }],
    ],
    stream: flag,
    stream_options: [...record, { include_usage: "yes" }],
    max_tokens: [...count, 0, -1],
    max_completion_tokens: [...count, 0, -1],
    temperature: [...number, -0.1, 2.1],
    top_p: [...number, -0.1, 1.1],
    stop: [1, true, {}, [1], [["a"]]],
    seed: count,
    presence_penalty: [...number, -3, 3],
    frequency_penalty: [...number, -3, 3],
    logit_bias: [...record, { 1: "a" }, { 1: 101 }, { one: 1 }, { "-1": 1 }, { "1.5": 1 }],
    logprobs: flag,
    top_logprobs: [...count, -1, 21, 1],
    n: [...count, 0, 9],
    tools: [
      ...list,
      [1],
      [{}],
      [{ type: "function" }],
      [{ type: "function", function: {} }],
      [{ type: "function", function: { name: "" } }],
      [{ type: "function", function: { name: "f", parameters: [] } }],
      [{ type: "custom", custom: { name: "f" } }],
    ],
    tool_choice: [1, true, [], {}, "sometimes", "required", { type: "function" }, { type: "x" }],
    parallel_tool_calls: flag,
    response_format: [
      ...record,
      {},
      { type: "grammar" },
      { type: "json_schema" },
      { type: "json_schema", json_schema: { schema: 1 } },
      { type: "json_object", schema: [] },
    ],
    top_k: [...count, -2],
    min_p: [...number, -0.1, 1.1],
    repeat_penalty: [...number, -1, 0],
    repetition_penalty: [...number, -1, 0],
    reasoning_budget: [...count, -2],
    reasoning_effort: [...text, "extreme"],
    reasoning: [...record, { effort: 1 }, { effort: "extreme" }],
    keep_alive: [true, {}, [], "soon"],
    options: record,
    think: ["yes", 1, {}],
    truncate: flag,
    shift: flag,
    ignore_eos: flag,
    chat_template_kwargs: [1, "enable_thinking", [true], { messages: [] }],
    grammar: [1, {}, []],
    functions: [...list, [{ name: "f" }]],
    function_call: [{ name: "f" }],
    modalities: [...list, [1], ["text", "audio"]],
    audio: [{ voice: "alloy", format: "wav" }, 1],
    web_search_options: record,
    moderation: record,
    _debug_render_only: [...flag, true],
  };

  const rows = (table: Record<string, unknown[]>) =>
    Object.entries(table).map(([field, values]) => ({ field, values }));

  test("cover every field in the routes' schemas", () => {
    expect(Object.keys(generate).toSorted()).toEqual(
      Object.keys(GenerateBody.properties).toSorted(),
    );
    expect(Object.keys(chat).toSorted()).toEqual(Object.keys(ChatBody.properties).toSorted());
    const fields = Object.entries(ChatCompletionBody.properties);
    // The others take any value, since they have no effect.
    const checked = fields.filter(
      ([, schema]) => !("description" in schema && schema.description === withoutEffectText),
    );
    expect(Object.keys(completion).toSorted()).toEqual(checked.map(([name]) => name).toSorted());
  });

  const native = [
    { route: "/api/generate", base: { model, prompt: "Hello!", stream: false }, table: generate },
    { route: "/api/chat", base: { model, messages, stream: false }, table: chat },
  ].flatMap(({ route, base, table }) => rows(table).map((row) => ({ route, base, ...row })));

  test.each(native)("$route names $field", async ({ route, base, field, values }) => {
    for (const value of values) {
      const { status, json } = await server.post(route, { ...base, [field]: value });
      const { error } = json as Partial<NativeError>;
      expect([value, status, error]).toEqual([
        value,
        400,
        expect.stringMatching(field.replace(/s$/, "")),
      ]);
    }
  });

  test.each(rows(completion))("/v1/chat/completions names $field", async ({ field, values }) => {
    for (const value of values) {
      const body = { model, messages, [field]: value };
      const { status, json } = await server.post("/v1/chat/completions", body);
      const { error } = json as Partial<OpenaiError>;
      expect([value, status, error]).toEqual([
        value,
        400,
        {
          message: expect.stringMatching(/./),
          type: "invalid_request_error",
          param: expect.stringMatching(new RegExp(`^${field}(\\.|$)`)),
          code: expect.stringMatching(/^SERVER_FIELD_(INVALID|UNSUPPORTED)$/),
        },
      ]);
    }
  });

  const options: Record<string, unknown[]> = {
    num_ctx: ["1", true, {}, []],
    num_predict: ["1", true, {}, []],
    temperature: ["1", true, {}, [], -1],
    top_k: ["1", true, -1],
    top_p: ["1", true, -1],
    min_p: ["1", true, -1],
    typical_p: ["1", true, 0.5],
    repeat_penalty: ["1", true, -1, 0],
    repeat_last_n: ["1", true],
    presence_penalty: ["1", true],
    frequency_penalty: ["1", true],
    seed: ["1", true],
    stop: ["end", 1, [1], {}],
    use_mmap: ["true", 1],
    num_gpu: ["1", true],
    num_thread: ["1", true],
  };

  test.each(rows(options))("both APIs name the option $field", async ({ field, values }) => {
    for (const value of values) {
      const more = { model, options: { [field]: value } };
      const native = await server.post("/api/generate", { ...more, prompt: "Hello!" });
      expect([value, native.status]).toEqual([value, 400]);
      expect((native.json as NativeError).error).toContain(field);
      const openai = await server.post("/v1/chat/completions", { ...more, messages });
      expect([value, openai.status]).toEqual([value, 400]);
      expect((openai.json as OpenaiError).error.param).toContain(field);
    }
  });
});

describe("unknown models", () => {
  const cases: Array<{ route: string; name?: string; status: number; says: string }> = [
    { route: "/api/generate", name: "", status: 404, says: "model '' not found" },
    { route: "/api/generate", status: 404, says: "model '' not found" },
    { route: "/api/chat", name: "", status: 400, says: "model is required" },
    { route: "/api/chat", status: 400, says: "model is required" },
    { route: "/v1/chat/completions", status: 400, says: "model is required" },
    ...["/api/generate", "/api/chat", "/v1/chat/completions"].flatMap((route) => [
      { route, name: "nobody", status: 404, says: "model 'nobody' not found" },
      { route, name: "owner/nobody:q4", status: 404, says: "model 'owner/nobody:q4' not found" },
      { route, name: "a b", status: 400, says: "invalid model name" },
      { route, name: "x:", status: 400, says: "invalid model name" },
      { route, name: ":y", status: 400, says: "invalid model name" },
      { route, name: "a:b:c", status: 400, says: "invalid model name" },
      { route, name: "tiny\u0000", status: 400, says: "invalid model name" },
      { route, name: "a\r\nSet-Cookie: b=c", status: 400, says: "invalid model name" },
      { route, name: "😀", status: 400, says: "invalid model name" },
      { route, name: "x".repeat(100_000), status: 400, says: "invalid model name" },
    ]),
  ];

  test.each(cases)("$route answers $status for $name", async ({ route, name, status, says }) => {
    const body = { ...(name !== undefined && { model: name }), prompt: "Hello!", messages };
    const reply = await server.post(route, body);
    expect(reply.status).toBe(status);
    const { error } = reply.json as { error: string | { message: string } };
    expect(typeof error === "string" ? error : error.message).toContain(says);
    expect(reply.headers.get("set-cookie")).toBeNull();
  });
});

describe("unsupported settings that would change the answer are refused", () => {
  test.each([
    ["older functions", { functions: [{ name: "f" }] }, "functions"],
    ["nine answers", { n: 9 }, "n"],
    ["an unknown format", { response_format: { type: "grammar" } }, "response_format.type"],
    ["speech", { modalities: ["text", "audio"] }, "modalities"],
    ["a prompt that is only shown", { _debug_render_only: true }, "_debug_render_only"],
    ["thinking", { think: true }, "think"],
    ["typical_p", { options: { typical_p: 0.9 } }, "typical_p"],
    [
      "an image",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
      "messages.0.content.0",
    ],
  ])("%s, naming the field", async (_what, more, param) => {
    const { status, json } = await server.post("/v1/chat/completions", {
      model,
      messages,
      ...more,
    });
    expect(status).toBe(400);
    expect((json as OpenaiError).error).toMatchObject({ type: "invalid_request_error", param });
  });

  test.each([
    ["thinking", { think: true }, "does not support thinking"],
    [
      "images",
      { messages: [{ role: "user", content: "a", images: ["aGk="] }] },
      "does not support image",
    ],
  ])("%s on the native API, with the text that clients match", async (_what, more, says) => {
    const { status, json } = await server.post("/api/chat", { model, messages, ...more });
    expect(status).toBe(400);
    expect((json as NativeError).error).toContain(says);
  });

  test("unsupported fields at their default values are accepted", async () => {
    const openai = await server.post("/v1/chat/completions", {
      model,
      messages,
      n: 1,
      tools: [],
      response_format: { type: "text" },
      reasoning_effort: "none",
      think: false,
      functions: [],
      function_call: "auto",
      modalities: ["text"],
      prediction: { type: "content", content: "Hello!" },
      service_tier: "auto",
      options: { typical_p: 1 },
      user: "somebody",
      store: true,
      metadata: { a: "b" },
      parallel_tool_calls: true,
    });
    expect(openai.status).toBe(200);
    const native = await server.post("/api/chat", {
      model,
      messages,
      stream: false,
      tools: [],
      think: false,
      format: "",
      truncate: false,
      shift: false,
    });
    expect(native.status).toBe(200);
  });

  test("an unknown role is refused, a known role in capitals is accepted", async () => {
    for (const route of ["/api/chat", "/v1/chat/completions"]) {
      const ask = async (role: string) =>
        await server.post(route, { model, messages: [{ role, content: "Hello!" }] });
      expect((await ask("wizard")).status).toBe(400);
      expect((await ask("wizard")).text).toContain("wizard");
      expect((await ask("USER")).status).toBe(200);
    }
  });
});

describe("limits", () => {
  const long = "word ".repeat(6000);

  test.each([
    ["/api/generate", { prompt: long }],
    ["/api/chat", { messages: [{ role: "user", content: long }] }],
    ["/v1/chat/completions", { messages: [{ role: "user", content: long }] }],
  ])("%s reports the length of a prompt that is too long and the limit", async (route, body) => {
    for (const stream of [true, false]) {
      const { status, text, headers } = await server.post(route, { model, stream, ...body });
      expect(status).toBe(400);
      expect(headers.get("content-type")).toMatch(/^application\/json/);
      const [, length, window] = /is (\d+) tokens long, .* window of (\d+)/.exec(text) ?? [];
      expect(Number(window)).toBe(4096);
      expect(Number(length)).toBeGreaterThan(4096);
      // The window is as large as in training, so a setting would not help.
      expect(text).toContain("as large as the model was trained for");
    }
  });

  test("a smaller window says how to raise it, and an answer that fills it ends with length", async () => {
    const small = await sharedSmallServer();
    const tooLong = await small.post("/api/generate", { model, prompt: "word ".repeat(300) });
    expect(tooLong.status).toBe(400);
    expect(tooLong.text).toMatch(/exceeds the context window of 256:.* num_ctx/);
    const ignoring = { model, messages, ignore_eos: true };
    const { json } = await small.post("/v1/chat/completions", ignoring);
    expect(json).toMatchObject({
      choices: [{ finish_reason: "length" }],
      usage: { total_tokens: 256 },
    });
  });

  test.each([0, -1])("max_tokens %d is refused on /v1", async (limit) => {
    const { status, json } = await server.post("/v1/chat/completions", {
      model,
      messages,
      max_tokens: limit,
    });
    expect(status).toBe(400);
    expect((json as OpenaiError).error.param).toBe("max_tokens");
  });

  test("logit_bias for a token that does not exist is refused", async () => {
    const { status, text } = await server.post("/v1/chat/completions", {
      model,
      messages,
      logit_bias: { 99999: 5 },
    });
    expect(status).toBe(400);
    expect(text).toContain("99999");
    expect(text).toContain("786");
  });

  test("an empty conversation is refused on /v1", async () => {
    const { status, json } = await server.post("/v1/chat/completions", { model, messages: [] });
    expect(status).toBe(400);
    expect((json as OpenaiError).error).toMatchObject({
      message: expect.stringContaining("[] is too short - 'messages'"),
      param: "messages",
    });
  });
});

describe("routes", () => {
  test.each([
    ["GET", "/nothing"],
    ["POST", "/v1/nothing"],
    ["GET", "/v1"],
    ["GET", "/api/chat/more"],
    ["GET", "/API/version"],
    ["GET", "/..%2f..%2fetc/passwd"],
  ])("%s %s does not exist", async (method, route) => {
    const { status, text, headers } = await server.send(route, { method });
    expect([status, text]).toEqual([404, "404 page not found"]);
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
  });

  test.each([
    ["GET", "/api/chat"],
    ["PUT", "/api/generate"],
    ["DELETE", "/v1/chat/completions"],
    ["POST", "/api/version"],
    ["POST", "/v1/models"],
  ])("%s does not allow %s", async (method, route) => {
    const { status, text } = await server.send(route, { method });
    expect([status, text]).toEqual([405, "405 method not allowed"]);
  });

  test.each([
    ["/nothing", 404],
    ["/api/version", 405],
  ])("a body that is not JSON does not change the error for %s", async (route, status) => {
    expect((await server.post(route, "{broken")).status).toBe(status);
    expect((await server.post(route, "")).status).toBe(status);
  });

  test("an undecodable name is refused in the route's error shape, also by the built program", async () => {
    const { child, ended } = home.start(["serve"]);
    await until(
      () => home.serverFile(),
      (file) => file !== undefined,
    );
    for (const url of [server.url, home.url]) {
      const reply = await fetch(`${url}/v1/models/%zz`);
      expect(reply.status).toBe(400);
      expect(((await reply.json()) as OpenaiError).error).toMatchObject({
        message: expect.any(String),
        type: "invalid_request_error",
        code: expect.not.stringMatching(/^FST_/),
      });
    }
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });
});

describe("untrusted origins and hosts", () => {
  test("a page of another origin gets only a 403", async () => {
    for (const route of ["/", "/api/tags", "/api/chat", "/v1/models", "/nothing"]) {
      const reply = await sendRaw(server.url + route, {
        headers: { origin: "https://evil.example" },
      });
      expect([route, reply.status, reply.text]).toEqual([route, 403, ""]);
      expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  test("a foreign host name that resolves to this machine gets 403, naming the setting to allow it", async () => {
    for (const route of ["/", "/api/version", "/v1/models", "/nothing", "/v1/models/%zz"]) {
      const reply = await sendRaw(server.url + route, { headers: { host: "evil.example" } });
      expect([route, reply.status]).toEqual([route, 403]);
      expect(reply.text).toContain("allowed_hosts");
    }
  });

  test.each([
    ["nonsense", "HELLO\r\n\r\n"],
    ["a header that is cut in two", "GET / HTTP/1.1\r\nHost: localhost\r\nA: b\nC\r\n\r\n"],
    [
      "two lengths",
      "POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    ],
    [
      "length and chunks",
      "POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
  ])("%s on the wire gets an error and the connection is closed", async (_what, bytes) => {
    expect(await sendBytes(server.url, bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test("a line break in a path does not add a header", async () => {
    const reply = await sendRaw(`${server.url}/v1/models/a%0d%0aset-cookie:%20b=c`, {});
    expect(reply.status).toBe(400);
    expect(reply.headers["set-cookie"]).toBeUndefined();
  });
});
