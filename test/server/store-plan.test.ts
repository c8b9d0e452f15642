// Plans of the API: memory for a load, free room, bytes that deleting frees; and models created from
// the text of a Modelfile.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordsOf } from "../support/ndjson.ts";
import { StoreServer } from "../support/store-server.ts";

interface Memory {
  weights_bytes: number;
  compute_bytes: number;
  cache_bytes_per_token: Record<string, number>;
  layers: number;
  slots: number;
  window_room_bytes: number;
  context_length: number;
  trained_context_length: number;
}

let store: StoreServer;
beforeAll(async () => {
  store = await StoreServer.start({ num_parallel: 2 });
  await store.client.create({ model: "one", from: "tiny", system: "Be one." });
});
afterAll(async () => await store.close());

const memoryOf = async (name: string) => {
  const { json } = await store.server.send("/api/tags");
  const { models } = json as { models: Array<{ name: string; memory: Memory }> };
  return models.find((model) => model.name === name)?.memory;
};

describe("the memory of a model in /api/tags", () => {
  test("is a sum of its parts", async () => {
    const memory = await memoryOf("one:latest");
    expect(memory).toMatchObject({ layers: expect.any(Number), trained_context_length: 4096 });
    expect(memory?.weights_bytes).toBeGreaterThan(1_900_000);
    expect(memory?.compute_bytes).toBeGreaterThan(0);
    const perToken = memory?.cache_bytes_per_token ?? {};
    expect(perToken.f16).toBeGreaterThan(0);
    // Blocks of 32 numbers carry a scale of two bytes.
    expect(perToken.q8_0).toBeCloseTo(((perToken.f16 ?? 0) / 2) * (34 / 32));
    expect(perToken.q4_0).toBeCloseTo(((perToken.f16 ?? 0) / 2) * (18 / 32));
  });

  test("limits the slots to the space for windows", async () => {
    const memory = await memoryOf("one:latest");
    const windowBytes = (memory?.cache_bytes_per_token.f16 ?? 0) * (memory?.context_length ?? 0);
    // The tiny model's windows find room on every machine that runs the tests.
    expect(memory?.slots).toBe(2);
    expect(memory?.window_room_bytes).toBeGreaterThan(2 * windowBytes);
  });

  test("uses the window of a Modelfile", async () => {
    await store.client.create({ model: "short", from: "tiny", parameters: { num_ctx: 512 } });
    expect((await memoryOf("short:latest"))?.context_length).toBe(512);
    await store.client.delete({ model: "short" });
  });
});

test("a window is limited to what a request or the model sets", async () => {
  const load = async (model: string, options: Record<string, unknown> = {}) => {
    await store.server.post("/api/generate", { model, prompt: "", options, stream: false });
    const { json } = await store.server.send("/api/ps");
    return (json as { models: Array<{ load_options: Record<string, unknown> }> }).models;
  };
  expect(await load("tiny")).toMatchObject([{ load_options: { kv_cache_type: "f16" } }]);
  expect(await load("tiny", { kv_cache_type: "q8_0" })).toMatchObject([
    { load_options: { kv_cache_type: "q8_0" } },
  ]);
  // A request that names nothing is served by what is loaded.
  expect(await load("tiny")).toMatchObject([{ load_options: { kv_cache_type: "q8_0" } }]);
  await store.client.create({
    model: "small",
    from: "tiny",
    parameters: { kv_cache_type: "q4_0" } as Record<string, unknown>,
  });
  const { json } = await store.server.send("/api/tags");
  const { models } = json as { models: Array<{ name: string; memory: { cache_type: string } }> };
  expect(models.find(({ name }) => name === "small:latest")?.memory.cache_type).toBe("q4_0");
  await store.client.delete({ model: "small" });
});

test("GET /api/capacity reports free memory", async () => {
  const { json } = await store.server.send("/api/capacity");
  expect(json).toMatchObject({
    disk: { free_bytes: expect.any(Number) },
    memory: { total_bytes: expect.any(Number), free_bytes: expect.any(Number) },
    // The tests' server uses no card.
    gpus: [],
    has_unified_memory: false,
    slots: 2,
    kv_cache_type: "f16",
  });
  const { memory, disk } = json as { memory: Record<string, number>; disk: { free_bytes: number } };
  expect(memory.free_bytes).toBeLessThanOrEqual(memory.total_bytes ?? 0);
  expect(disk.free_bytes).toBeGreaterThan(0);
});

describe("DELETE /api/delete as a dry run", () => {
  const plan = async (model: string) =>
    await store.server.send("/api/delete", {
      method: "DELETE",
      body: JSON.stringify({ model, dry_run: true }),
      headers: { "content-type": "application/json" },
    });

  test("counts what no other model needs, and deletes nothing", async () => {
    const before = store.blobs();
    const alone = (await plan("one")).json as Record<string, number>;
    expect(alone).toMatchObject({ name: "one:latest", shared_bytes: 0, referred_bytes: 0 });
    expect(alone.freed_bytes).toBeGreaterThan(1_900_000);
    await store.client.copy({ source: "one", destination: "twin" });
    expect((await plan("one")).json).toMatchObject({
      freed_bytes: 0,
      shared_bytes: alone.freed_bytes,
    });
    await store.client.delete({ model: "twin" });
    expect(store.blobs()).toEqual(before);
    expect(await store.names()).toContain("one:latest");
  });

  test("reports a file outside the store, which stays", async () => {
    await store.server.post("/api/create", { model: "outside", from: store.tinyAt("own.gguf") });
    const { json } = await plan("outside");
    expect(json).toMatchObject({ referred_bytes: expect.any(Number) });
    const { referred_bytes: referred, freed_bytes: freed } = json as Record<string, number>;
    expect(referred).toBeGreaterThan(1_900_000);
    expect(freed).toBeLessThan(10_000);
    await store.client.delete({ model: "outside" });
  });

  test.each([
    ["tiny", 403],
    ["nobody", 404],
    ["a b", 400],
  ])("of %j is refused like deleting it", async (model, status) => {
    expect((await plan(model)).status).toBe(status);
  });
});

describe("POST /api/create with the text of a Modelfile", () => {
  const create = (body: Record<string, unknown>) => recordsOf(store.server, "/api/create", body);

  test("creates the model that it describes", async () => {
    const modelfile = 'FROM one\nPARAMETER temperature 0.5\nSYSTEM """Two\nlines"""\n';
    const records = await create({ model: "made", modelfile });
    expect(records.at(-1)).toMatchObject({ status: "success" });
    const shown = await store.client.show({ model: "made" });
    expect(shown).toMatchObject({ system: "Two\nlines" });
    expect(shown.parameters).toContain("0.5");
    await store.client.delete({ model: "made" });
  });

  test("reports lines without effect first", async () => {
    const modelfile = "FROM one\nSYSTEM first\nSYSTEM second\n";
    const [first] = await create({ model: "made", modelfile });
    expect(first).toMatchObject({ status: expect.stringContaining("line 3") });
    await store.client.delete({ model: "made" });
  });

  test.each([
    ["FROM one\nPARAMETER temperature hot", "line 2"],
    ["SYSTEM words", "FROM"],
    ["FROM one\nTEMPLATE {{ .Prompt", "line 2"],
    ["FROM nobody-has-this", "line 1"],
  ])("refuses %j with its position", async (modelfile, says) => {
    const reply = await store.server.post("/api/create", { model: "bad", modelfile });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.json).toMatchObject({ error: expect.stringContaining(says) });
    expect(await store.names()).not.toContain("bad:latest");
  });

  test("refuses fields that repeat it", async () => {
    const body = { model: "bad", modelfile: "FROM one", system: "again" };
    const reply = await store.server.post("/api/create", body);
    expect(reply).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining("'system' and 'modelfile' exclude each other") },
    });
  });
});
