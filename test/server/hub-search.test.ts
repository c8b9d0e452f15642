// Searching the hub and choosing a quantization over the API, against a hub on loopback.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type LoopbackHub, startLoopbackHub } from "../support/loopback-hub.ts";
import { StoreServer } from "../support/store-server.ts";

const file = (bytes: number) => ({ generatedBytes: bytes });

let hub: LoopbackHub;
let store: StoreServer;

beforeAll(async () => {
  hub = await startLoopbackHub({
    repositories: {
      "maker/Qwen3-8B-GGUF": {
        files: {
          "README.md": Buffer.from("words"),
          "Qwen3-8B-Q8_0.gguf": file(800),
          "Qwen3-8B-Q4_K_M.gguf": file(500),
          "mmproj-F16.gguf": file(30),
          "BF16/Qwen3-8B-BF16-00001-of-00002.gguf": file(600),
          "BF16/Qwen3-8B-BF16-00002-of-00002.gguf": file(700),
          "broken-Q2_K-00001-of-00003.gguf": file(9),
        },
        facts: {
          downloads: 900,
          likes: 7,
          lastModified: "2026-05-01T10:00:00.000Z",
          tags: ["gguf", "license:apache-2.0"],
          gguf: { total: 8_190_735_360, architecture: "qwen3", context_length: 40_960 },
        },
      },
      "other/qwen3-small": { files: { "small.gguf": file(5) }, facts: { downloads: 5000 } },
      "other/words": { files: { "README.md": Buffer.from("qwen3 is not here") } },
      "other/qwen3-gated": { files: { "g-Q8_0.gguf": file(5) }, access: "gated" },
      "maker/hidden-qwen3": { files: { "h.gguf": file(5) }, access: "private" },
    },
  });
  store = await StoreServer.start({ hub_endpoint: hub.url });
});
afterAll(async () => {
  await store.close();
  await hub.close();
});
afterEach(() => hub.setFaults(undefined));

const get = (path: string) => store.server.send(path);

describe("GET /api/hub/search", () => {
  test("finds models that can be pulled, in the requested order", async () => {
    const { status, json } = await get("/api/hub/search?query=qwen3&order=downloads");
    expect(status).toBe(200);
    const { models } = json as { models: Array<{ repository: string }> };
    expect(models.map(({ repository }) => repository)).toEqual([
      "other/qwen3-small",
      "maker/Qwen3-8B-GGUF",
      "other/qwen3-gated",
    ]);
    expect(models[1]).toEqual({
      name: "hf.co/maker/Qwen3-8B-GGUF",
      repository: "maker/Qwen3-8B-GGUF",
      downloads: 900,
      likes: 7,
      modified_at: "2026-05-01T10:00:00.000Z",
      is_gated: false,
      parameter_count: 8_190_735_360,
      architecture: "qwen3",
      context_length: 40_960,
      license: "apache-2.0",
    });
    expect(models[2]).toMatchObject({ is_gated: true });
  });

  test("without a query returns the first models, up to the limit", async () => {
    const { json } = await get("/api/hub/search?limit=1");
    expect((json as { models: unknown[] }).models).toHaveLength(1);
  });

  test.each([
    ["order=age", "'order' is \"age\""],
    ["limit=0", "'limit' is \"0\""],
    ["limit=5000", "'limit' is \"5000\""],
    ["limit=x", "'limit' is \"x\""],
  ])("refuses %s", async (query, says) => {
    expect(await get(`/api/hub/search?${query}`)).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining(says) },
    });
  });

  test.each([
    [{ status: 500 }, 502, "STORE_HUB_FAILING"],
    [{ status: 429, headers: { "retry-after": "7" } }, 429, "STORE_HUB_RATE_LIMITED"],
    [{ status: 401 }, 403, "STORE_HUB_UNAUTHORISED"],
    [{ status: 200, body: "<html>" }, 502, "STORE_HUB_REPLY_INVALID"],
    [{ status: 200, body: '{"models":[]}' }, 502, "STORE_HUB_REPLY_INVALID"],
  ])("reports a hub that answers %j", async (fault, status, code) => {
    hub.setFaults(() => fault);
    expect(await get("/api/hub/search?query=x")).toMatchObject({ status, json: { code } });
  });

  test("leaves out entries that cannot be pulled", async () => {
    const body = JSON.stringify([{ id: "a/b" }, { id: "no-owner" }, 7, { id: "a/\u001b[2J" }]);
    hub.setFaults(() => ({ status: 200, body }));
    const { json } = await get("/api/hub/search");
    expect(json).toEqual({ models: [{ name: "hf.co/a/b", repository: "a/b", is_gated: false }] });
  });
});

describe("GET /api/hub/repository", () => {
  test("lists each complete quantization once, with the projector's bytes", async () => {
    const { json } = await get("/api/hub/repository?name=hf.co/maker/Qwen3-8B-GGUF");
    expect(json).toEqual({
      name: "hf.co/maker/Qwen3-8B-GGUF",
      commit: hub.commitOf("maker/Qwen3-8B-GGUF"),
      quantizations: [
        { selector: "BF16", size: 1330, files: 3, has_projector: true, is_default: false },
        { selector: "Q4_K_M", size: 530, files: 2, has_projector: true, is_default: true },
        { selector: "Q8_0", size: 830, files: 2, has_projector: true, is_default: false },
      ],
    });
  });

  test("accepts a name without the host, and names files without a quantization", async () => {
    const { json } = await get("/api/hub/repository?name=other/qwen3-small");
    expect(json).toMatchObject({ quantizations: [{ selector: "small.gguf", is_default: true }] });
  });

  test.each([
    ["", 400],
    ["tiny", 400],
    ["/etc/passwd", 400],
    ["nobody/nothing", 404],
    ["maker/hidden-qwen3", 404],
  ])("refuses %j", async (name, status) => {
    const reply = await get(`/api/hub/repository?name=${encodeURIComponent(name)}`);
    expect(reply).toMatchObject({ status, json: { error: expect.any(String) } });
  });
});

describe("GET /api/hub/card", () => {
  test("returns the model card without its front matter", async () => {
    const readme = "---\nlicense: mit\ntags:\n- gguf\n---\n# A model\n\nIt writes.\n";
    await hub.setFile("other/words", "README.md", Buffer.from(readme));
    expect(await get("/api/hub/card?name=other/words")).toMatchObject({
      status: 200,
      json: { name: "hf.co/other/words", text: "# A model\n\nIt writes." },
    });
  });

  test("is empty without a card, and truncated when too long", async () => {
    expect((await get("/api/hub/card?name=other/qwen3-small")).json).toMatchObject({ text: "" });
    await hub.setFile("other/words", "README.md", { generatedBytes: 2_000_000 });
    const { json } = await get("/api/hub/card?name=other/words");
    expect((json as { text: string }).text.length).toBeLessThan(600_000);
  });

  test("is refused like the repository", async () => {
    expect((await get("/api/hub/card?name=nobody/nothing")).status).toBe(404);
    expect((await get("/api/hub/card?name=other/qwen3-gated")).status).toBe(403);
  });
});

test("an unreachable hub is reported in one sentence", async () => {
  const alone = await StoreServer.start({ hub_endpoint: "http://127.0.0.1:9" });
  try {
    expect(await alone.server.send("/api/hub/search?query=x")).toMatchObject({
      status: 502,
      json: { code: "STORE_HUB_UNREACHABLE", error: expect.stringContaining("refused") },
    });
  } finally {
    await alone.close();
  }
});
