// Listing, copying and deleting models over the API, and sending files in advance.
import { readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tinyFile } from "../support/command-line.ts";
import { sha256 } from "../support/model-store.ts";
import { StoreServer } from "../support/store-server.ts";
import { until } from "../support/until.ts";

let store: StoreServer;
beforeAll(async () => {
  store = await StoreServer.start();
  for (const model of ["one", "two"])
    await store.client.create({ model, from: "tiny", system: model });
});
afterAll(async () => await store.close());

const capital = "What is the capital of France?";

describe("GET /api/tags", () => {
  test("lists the newest first, with the fields of Ollama's clients", async () => {
    const { models } = await store.client.list();
    expect(models.map(({ name }) => name)).toEqual(["two:latest", "one:latest", "tiny:latest"]);
    for (const model of models) {
      expect(model).toMatchObject({
        name: model.model,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        details: { parent_model: "", format: "gguf", family: "llama", quantization_level: "F16" },
        capabilities: ["completion", "tools"],
      });
      expect(model.size).toBeGreaterThan(1_900_000);
    }
  });

  test("answers HEAD, and refuses POST", async () => {
    expect((await store.server.send("/api/tags", { method: "HEAD" })).status).toBe(200);
    expect((await store.server.send("/api/tags", { method: "POST" })).status).toBe(405);
  });

  test("lists a model with a missing file without its capabilities", async () => {
    const file = store.tinyAt("lost.gguf");
    await store.server.post("/api/create", { model: "lost", from: file });
    rmSync(file);
    const { models } = await store.client.list();
    const lost = models.find(({ name }) => name === "lost:latest");
    expect(lost).toBeDefined();
    expect(lost).not.toHaveProperty("capabilities");
    await store.client.delete({ model: "lost" });
  });
});

test("GET /api/ps names every model that shares the loaded weights", async () => {
  await store.server.ask(capital, "one");
  await store.server.ask(capital, "two");
  const { json } = await store.server.send("/api/ps");
  const { models } = json as { models: Array<{ name: string; names: string[] }> };
  expect(models).toMatchObject([{ name: "one:latest", names: ["one:latest", "two:latest"] }]);
});

describe("POST /api/copy", () => {
  test("adds a second name, with an empty reply", async () => {
    const body = { source: "one", destination: "space/copy:v1" };
    const reply = await store.server.post("/api/copy", body);
    expect(reply).toMatchObject({ status: 200, text: "" });
    const [one, copy] = await Promise.all([
      store.client.show({ model: "one" }),
      store.client.show({ model: "space/copy:v1" }),
    ]);
    expect(copy.system).toBe(one.system);
    await store.client.delete({ model: "space/copy:v1" });
  });

  test("of a built-in model makes a model of the user's", async () => {
    await store.client.copy({ source: "tiny", destination: "mine" });
    expect(await store.server.ask(capital, "mine")).toBe("The capital of France is Paris.");
    await store.client.delete({ model: "mine" });
  });

  test.each([
    [{}, 400, 'source "" is invalid'],
    [{ source: "a b", destination: "c" }, 400, 'source "a b" is invalid'],
    [{ source: "one" }, 400, 'destination "" is invalid'],
    [{ source: "one", destination: "x:" }, 400, 'destination "x:" is invalid'],
    [{ source: "nobody", destination: "c" }, 404, 'model "nobody" not found'],
    [{ source: "one", destination: "tiny" }, 403, "is built in"],
  ])("refuses %j", async (body, status, says) => {
    const reply = await store.server.post("/api/copy", body);
    expect(reply).toMatchObject({ status, json: { error: expect.stringContaining(says) } });
  });
});

describe("DELETE /api/delete", () => {
  const remove = async (body: unknown) =>
    await store.server.send("/api/delete", { method: "DELETE", body: JSON.stringify(body) });

  test("removes the model and files only it needed, with an empty reply", async () => {
    const before = store.blobs();
    await store.client.create({ model: "short-lived", from: "tiny", system: "only mine" });
    expect(store.blobs().length).toBeGreaterThan(before.length);
    expect(await remove({ name: "short-lived" })).toMatchObject({ status: 200, text: "" });
    expect(store.blobs()).toEqual(before);
    expect(await store.names()).not.toContain("short-lived:latest");
  });

  test("unloads it first", async () => {
    const file = store.tinyAt("loaded.gguf");
    await store.server.post("/api/create", { model: "loaded", from: file });
    await store.server.ask(capital, "loaded");
    const loaded = async () => (await store.server.loaded()).map(({ name }) => name);
    expect(await loaded()).toContain("loaded:latest");
    await store.client.delete({ model: "loaded" });
    expect(await loaded()).not.toContain("loaded:latest");
    await store.server.post("/api/create", { model: "loaded", from: file });
    await store.server.ask(capital, "loaded");
    // The name now refers to other files, which no request has used.
    await store.client.create({ model: "loaded", from: "tiny" });
    await store.client.delete({ model: "loaded" });
    await until(loaded, (names) => !names.includes("loaded:latest"));
  });

  test("keeps it loaded for users of another name", async () => {
    const file = store.tinyAt("shared.gguf");
    await store.server.post("/api/create", { model: "first", from: file });
    await store.client.copy({ source: "first", destination: "second" });
    await store.server.ask(capital, "first");
    await store.server.ask(capital, "second");
    const runner = async (name: string) =>
      (await store.server.loaded()).find((model) => model.name === name);
    const { process_id: before } = (await runner("first:latest")) ?? {};
    expect(before).toBeGreaterThan(0);
    await store.client.delete({ model: "first" });
    expect(await runner("first:latest")).toBeUndefined();
    expect(await runner("second:latest")).toMatchObject({
      process_id: before,
      names: ["second:latest"],
    });
    await store.client.delete({ model: "second" });
    expect(await runner("second:latest")).toBeUndefined();
  });

  test("does not wait for running answers, which finish", async () => {
    const file = store.tinyAt("busy.gguf");
    await store.server.post("/api/create", { model: "busy", from: file });
    const answering = store.server.ask("Write a long story.", "busy");
    await until(
      () => store.server.loaded(),
      (models) => models.some(({ name, state }) => name === "busy:latest" && state === "busy"),
    );
    await store.client.delete({ model: "busy" });
    expect(await store.names()).not.toContain("busy:latest");
    expect((await answering).length).toBeGreaterThan(1000);
  });

  test.each([
    [{}, 400, "model is required"],
    [{ model: "a b" }, 400, 'name "a b" is invalid'],
    [{ model: "./file.gguf" }, 400, "is invalid"],
    [{ model: "nobody" }, 404, "model 'nobody' not found"],
    [{ model: "tiny" }, 403, "is built in"],
  ])("refuses %j", async (body, status, says) => {
    const reply = await remove(body);
    expect(reply).toMatchObject({ status, json: { error: expect.stringContaining(says) } });
  });

  test("without a body reports that", async () => {
    const reply = await store.server.send("/api/delete", { method: "DELETE" });
    expect(reply).toMatchObject({ status: 400, json: { error: "missing request body" } });
  });
});

test("pushing is always refused, streamed or not", async () => {
  for (const stream of [true, false]) {
    const reply = await store.server.post("/api/push", { model: "one", stream });
    expect(reply).toMatchObject({ status: 501, json: { error: /push is not supported/ } });
  }
  const nameless = await store.server.post("/api/push", {});
  expect(nameless).toMatchObject({ status: 400, json: { error: "model is required" } });
  await expect(store.client.push({ model: "one" })).rejects.toThrow(/push is not supported/);
});

describe("/api/blobs", () => {
  const send = async (digest: string, body: Uint8Array) =>
    await store.server.send(`/api/blobs/${digest}`, { method: "POST", body: Buffer.from(body) });
  const probe = async (digest: string) =>
    (await store.server.send(`/api/blobs/${digest}`, { method: "HEAD" })).status;

  test("stores a file once and finds it by both forms of its digest", async () => {
    const content = Buffer.alloc(3_000_000, "blob");
    const digest = sha256(content);
    expect(await probe(`sha256:${digest}`)).toBe(404);
    expect(await send(`sha256:${digest}`, content)).toMatchObject({ status: 201, text: "" });
    expect(await send(`sha256:${digest}`, content)).toMatchObject({ status: 200, text: "" });
    expect(await probe(`sha256:${digest}`)).toBe(200);
    expect(await probe(`sha256-${digest}`)).toBe(200);
  });

  test("accepts JSON and empty bodies as bytes", async () => {
    for (const content of ["{ not json", ""]) {
      const digest = `sha256:${sha256(content)}`;
      const { status } = await store.server.send(`/api/blobs/${digest}`, {
        method: "POST",
        body: content,
        headers: { "content-type": "application/json" },
      });
      expect(status).toBe(201);
    }
  });

  test("refuses content with another digest and keeps nothing", async () => {
    const digest = `sha256:${"1".repeat(64)}`;
    const before = store.blobs();
    const reply = await send(digest, Buffer.from("something else"));
    expect(reply).toMatchObject({ status: 400 });
    expect(reply.json).toMatchObject({
      error: expect.stringContaining(
        `digest mismatch, expected ${digest}, got sha256:${sha256("something else")}`,
      ),
    });
    expect(store.blobs()).toEqual(before);
  });

  test.each(["sha256:12", "md5:1", `sha256:g${"0".repeat(63)}`])("refuses %s", async (digest) => {
    expect(await probe(digest)).toBe(400);
    expect((await send(digest, Buffer.from("x"))).status).toBe(400);
  });

  test("refuses other methods", async () => {
    const path = `/api/blobs/sha256:${"3".repeat(64)}`;
    expect(await store.server.send(path)).toMatchObject({
      status: 405,
      text: "405 method not allowed",
    });
    expect((await store.server.send(`${path}/more`)).status).toBe(404);
  });

  test("keeps nothing when the client disconnects midway", async () => {
    const before = store.blobs();
    const digest = `sha256:${"2".repeat(64)}`;
    const request = http.request(`${store.server.url}/api/blobs/${digest}`, {
      method: "POST",
      headers: { "content-length": "100000" },
    });
    request.on("error", () => {}); // it is broken off here
    request.write(Buffer.alloc(50_000));
    await until(
      () => store.blobs(),
      (blobs) => blobs.some((name) => name.startsWith(".writing-")),
    );
    request.destroy();
    await until(
      () => store.blobs(),
      (blobs) => blobs.length === before.length,
    );
  });

  test("with the tiny model's bytes make a model that answers", async () => {
    const content = readFileSync(tinyFile);
    const digest = `sha256:${sha256(content)}`;
    await send(digest, content);
    await store.server.post("/api/create", { model: "sent", files: { "model.gguf": digest } });
    expect(await store.server.ask(capital, "sent")).toBe("The capital of France is Paris.");
  });
});
