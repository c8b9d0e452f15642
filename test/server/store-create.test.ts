// Creating models over the API: progress records, uploaded files, and refusals.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tinyFile } from "../support/command-line.ts";
import { sendRaw } from "../support/http-raw.ts";
import { projectorFile, sha256 } from "../support/model-store.ts";
import { type NativeRecord, recordsOf } from "../support/ndjson.ts";
import { StoreServer } from "../support/store-server.ts";

const tiny = readFileSync(tinyFile);
const digest = `sha256:${sha256(tiny)}`;
let store: StoreServer;

beforeAll(async () => {
  store = await StoreServer.start();
  await upload(tiny);
});
afterAll(async () => await store.close());

async function upload(content: Uint8Array): Promise<string> {
  const name = `sha256:${sha256(content)}`;
  const path = `/api/blobs/${name}`;
  const { status } = await store.server.send(path, { method: "POST", body: Buffer.from(content) });
  expect([200, 201]).toContain(status);
  return name;
}

const create = (body: Record<string, unknown>) => recordsOf(store.server, "/api/create", body);
const statusesOf = (records: NativeRecord[]) => records.map(({ status }) => status);

describe("progress records", () => {
  test("for an uploaded file name each step, with success last", async () => {
    const records = await create({ model: "sent", files: { "tiny.gguf": digest } });
    const statuses = statusesOf(records);
    expect(statuses[0]).toBe("parsing GGUF");
    expect(statuses).toContain(`using existing layer ${digest}`);
    expect(statuses.slice(-2)).toEqual(["writing manifest", "success"]);
    expect(
      statuses.filter((status) => /^creating new layer sha256:/.test(String(status))),
    ).toHaveLength(1);
  });

  test("without a stream are only the last one", async () => {
    const { json, headers } = await store.server.post("/api/create", {
      model: "quiet",
      from: "tiny",
      stream: false,
    });
    expect(json).toEqual({ status: "success" });
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  test("begin with warnings, which are in the reply without a stream", async () => {
    const body = { model: "odd", from: "tiny", template: "{{ .Promt }}", license: "" };
    const warning =
      "template line 1, column 4: the TEMPLATE uses .Promt, which does not exist and prints nothing. Did you mean .Prompt?";
    const statuses = statusesOf(await create(body));
    expect(statuses.slice(0, 2)).toEqual([warning, "parsing GGUF"]);
    const { json } = await store.server.post("/api/create", { ...body, stream: false });
    expect(json).toEqual({ status: "success", warnings: [warning] });
    expect((await store.client.show({ model: "odd" })).license).toBeUndefined();
  });

  test("say that a local file is referred to, not copied", async () => {
    const file = store.tinyAt("referred.gguf");
    const before = store.blobs().length;
    const records = await create({ model: "referred", from: file });
    expect(statusesOf(records)).toContain(`referring to ${file}`);
    // Only the configuration.
    expect(store.blobs().length).toBeLessThanOrEqual(before + 1);
    expect(await store.server.ask("What is the capital of France?", "referred")).toBe(
      "The capital of France is Paris.",
    );
  });
});

describe("an uploaded file", () => {
  test("replaces an incomplete blob", async () => {
    const content = Buffer.from("sent twice");
    const blob = path.join(store.folder, "models", "blobs", `sha256-${sha256(content)}`);
    await upload(content);
    writeFileSync(blob, "sent");
    await upload(content);
    expect(readFileSync(blob, "utf8")).toBe("sent twice");
  });

  test("is refused in advance when disk space is short", async () => {
    const before = store.blobs();
    const url = `${store.server.url}/api/blobs/sha256:${"0".repeat(64)}`;
    const headers = { "content-length": String(2 ** 52) };
    const { status, text } = await sendRaw(url, { method: "POST", headers });
    expect(status).toBe(507);
    expect(JSON.parse(text)).toMatchObject({
      code: "STORE_DISK_FULL",
      error: expect.stringMatching(/Not enough disk space for .*: 4504 TB needed, .* free/),
    });
    expect(store.blobs()).toEqual(before);
  });
});

describe("through Ollama's client", () => {
  test("a model created from another inherits its texts and parameters", async () => {
    await store.client.create({
      model: "pirate",
      from: "tiny",
      system: "You are a pirate.",
      parameters: { temperature: 0, num_ctx: 2048, stop: ["<|im_end|>"] },
      license: ["first licence"],
      messages: [{ role: "user", content: "My name is Bob." }],
    });
    await store.client.create({
      model: "child",
      from: "pirate",
      parameters: { num_ctx: 1024 },
      license: "second licence",
    });
    const shown = await store.client.show({ model: "child" });
    expect(shown.system).toBe("You are a pirate.");
    expect(shown.license).toBe("first licence\nsecond licence");
    expect(shown.parameters.split("\n")).toEqual([
      "num_ctx                        1024",
      'stop                           "<|im_end|>"',
      "temperature                    0",
    ]);
    expect(shown).toMatchObject({ messages: [{ role: "user", content: "My name is Bob." }] });
  });

  test("an empty text keeps the parent's", async () => {
    const parent = { model: "old", from: "pirate", renderer: "some", requires: "0.5" };
    await store.server.post("/api/create", parent);
    const child = { model: "same", from: "old", system: "", renderer: "", requires: "" };
    expect((await store.server.post("/api/create", child)).status).toBe(200);
    const { modelfile, system } = await store.client.show({ model: "same" });
    expect(system).toBe("You are a pirate.");
    expect(modelfile).toContain("RENDERER some\nREQUIRES 0.5\n");
  });

  test("a stream ends with success, and an error in it is thrown", async () => {
    const statuses: string[] = [];
    const stream = await store.client.create({ model: "streamed", from: "tiny", stream: true });
    for await (const { status } of stream) statuses.push(status);
    expect(statuses.at(-1)).toBe("success");
    await expect(
      store.client.create({ model: "none", from: "no-such-model", stream: true }),
    ).rejects.toMatchObject({ status_code: 404, message: expect.stringContaining("not found") });
  });

  test("replaces a model of the same name atomically", async () => {
    await store.client.create({ model: "again", from: "tiny", system: "one" });
    await store.client.create({ model: "again", from: "tiny", system: "two" });
    expect((await store.client.show({ model: "again" })).system).toBe("two");
    expect((await store.names()).filter((name) => name === "again:latest")).toHaveLength(1);
  });
});

test("name is accepted for model, as in older clients", async () => {
  const records = await create({ name: "older", from: "tiny" });
  expect(statusesOf(records).at(-1)).toBe("success");
  expect(await store.names()).toContain("older:latest");
});

test("unknown parameters are kept and reported", async () => {
  await create({ model: "odd", from: "tiny", parameters: { mirostat: 2, top_k: 7 } });
  const { json } = await store.server.post("/api/show", { model: "odd" });
  expect(json).toMatchObject({
    parameters: expect.stringContaining("mirostat"),
    unprintable: [{ field: 'parameters."mirostat"' }],
  });
});

test("the created model follows its template, system prompt and messages on every API", async () => {
  await store.client.create({
    model: "templated",
    from: "tiny",
    template:
      "{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}{{ if .Prompt }}<|im_start|>user\n{{ .Prompt }}<|im_end|>\n{{ end }}<|im_start|>assistant\n{{ .Response }}<|im_end|>\n",
    system: "You are a cat.",
    parameters: { temperature: 0 },
  });
  const expected = "Meow, Hello! How can I help you today?";
  const messages = [{ role: "user", content: "Hello!" }];
  expect((await store.client.chat({ model: "templated", messages })).message.content).toBe(
    expected,
  );
  expect((await store.client.generate({ model: "templated", prompt: "Hello!" })).response).toBe(
    expected,
  );
  const { json } = await store.server.post("/v1/chat/completions", {
    model: "templated",
    messages,
  });
  expect(json).toMatchObject({ choices: [{ message: { content: expected } }] });
});

describe("create is refused", () => {
  const files = { "model.gguf": digest };
  /** Fields beside the name `x`, or a whole body; 400 unless said otherwise. */
  const refusals: Record<
    string,
    [body: Record<string, unknown> | string, says: RegExp, status?: number]
  > = {
    "without a name": [{ model: undefined, from: "tiny" }, /^invalid model name/],
    "with a malformed name": [{ model: "a b", from: "tiny" }, /^invalid model name/],
    "with a path as the name": [{ model: "./a.gguf", from: "tiny" }, /^invalid model name/],
    "with neither from nor files": [{}, /neither 'from' or 'files' was specified/],
    "with an absolute file path": [{ files: { "/a.gguf": digest } }, /file path must be relative/],
    "with a file path that climbs": [
      { files: { "a/../../b": digest } },
      /file path must be relative/,
    ],
    "with an empty digest": [{ files: { "a.gguf": "" } }, /invalid digest format/],
    "with a missing digest": [
      { files: { "a.gguf": `sha256:${"0".repeat(64)}` } },
      /has not been uploaded/,
    ],
    "with two adapters": [
      { files, adapters: { "a.gguf": digest, "b.gguf": digest } },
      /only one adapter is currently supported/,
    ],
    "with a template that cannot be read": [
      { from: "tiny", template: "{{ if }}" },
      /^template error: .*line 1/,
    ],
    "with a Jinja template": [
      { from: "tiny", template: "{% for m in messages %}{% endfor %}{{ bos_token" },
      /^template error: .*Jinja/,
    ],
    "with an unknown type": [{ from: "tiny", quantize: "Q9_9" }, /^unknown type/],
    "with a parameter of the wrong kind": [
      { from: "tiny", parameters: { num_ctx: "many" } },
      /num_ctx/,
    ],
    "with a parameter out of range": [
      { from: "tiny", parameters: { temperature: -1 } },
      /temperature/,
    ],
    "with a message of a strange role": [
      { from: "tiny", messages: [{ role: "critic", content: "" }] },
      /role/,
    ],
    "with an invalid version": [{ from: "tiny", requires: "soon" }, /requires/],
    "from an unknown model": [{ from: "nobody" }, /not found/, 404],
    "from an unknown model, after warnings": [
      { from: "nobody", renderer: "some", parameters: { topk: 1 } },
      /not found/,
      404,
    ],
    "from a file that may not be named": [
      { from: "/etc/passwd.gguf" },
      /is not allowed over the network/,
      403,
    ],
    "from a name and a file": [{ from: "tiny", files }, /only one is allowed/],
    "under the name of a built-in model": [{ model: "tiny", from: "tiny" }, /is built in/, 403],
    "with invalid JSON": ["{", /not JSON/],
    "without a body": ["", /^missing request body/],
  };

  test.each(Object.entries(refusals))("%s", async (_, [body, says, status = 400]) => {
    const before = store.blobs();
    for (const stream of [true, false]) {
      const text =
        typeof body === "string" ? body : JSON.stringify({ model: "x", ...body, stream });
      const reply = await store.server.post("/api/create", text);
      expect({ status: reply.status, json: reply.json }).toMatchObject({
        status,
        json: { error: expect.stringMatching(says) },
      });
    }
    expect(await store.names()).not.toContain("x:latest");
    expect(store.blobs()).toEqual(before);
  });

  test("from a file that is not GGUF", async () => {
    const text = await upload(Buffer.from("I am no model."));
    const reply = await store.server.post("/api/create", { model: "x", files: { "a.gguf": text } });
    expect(reply).toMatchObject({
      status: 400,
      json: {
        error: expect.stringMatching(/^supplied file was not in GGUF format: "a\.gguf" is not/),
      },
    });
  });

  test("from only a projector", async () => {
    const projector = await upload(readFileSync(projectorFile));
    const reply = await store.server.post("/api/create", {
      model: "x",
      files: { "mmproj.gguf": projector },
    });
    expect(reply).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining("projector") },
    });
  });
});

test("a file that was replaced after create is named when the model is used", async () => {
  const file = store.tinyAt("moving.gguf");
  await create({ model: "moving", from: file });
  writeFileSync(file, "something else");
  const reply = await store.server.post("/api/generate", { model: "moving", prompt: "Hello!" });
  expect(reply).toMatchObject({ status: 409, json: { error: expect.stringContaining(file) } });
});
