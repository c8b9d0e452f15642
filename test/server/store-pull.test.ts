// Pulling over the API, from a hub on loopback: records, shared downloads, and clients that leave.
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { tinyFile } from "../support/command-line.ts";
import { type LoopbackHub, startLoopbackHub } from "../support/loopback-hub.ts";
import { type NativeRecord, parseLines, recordsOf } from "../support/ndjson.ts";
import { StoreServer } from "../support/store-server.ts";
import { numberedTiny } from "../support/tiny-variants.ts";
import { until } from "../support/until.ts";

const tiny = readFileSync(tinyFile);
const names = ["shared", "left", "lonely", "cancelled"] as const;

let hub: LoopbackHub;
let store: StoreServer;

beforeAll(async () => {
  hub = await startLoopbackHub({
    repositories: {
      "maker/tiny": { files: { "tiny-Q8_0.gguf": tiny, "tiny-Q4_K_M.gguf": numberedTiny(2) } },
      "maker/gated": {
        files: { "gated.gguf": numberedTiny(9) },
        access: "gated",
        readers: ["hf_reader"],
      },
      "maker/page": { files: { "page.gguf": Buffer.from("<html>Not a model</html>") } },
      "maker/empty": { files: { "README.md": Buffer.from("nothing") } },
      ...Object.fromEntries(
        names.map((name, at) => [`maker/${name}`, { files: { "a.gguf": numberedTiny(at + 3) } }]),
      ),
    },
  });
  store = await StoreServer.start({ hub_endpoint: hub.url });
});
afterAll(async () => {
  await store.close();
  await hub.close();
});
afterEach(() => hub.setFaults(undefined));

const pull = (model: string) => recordsOf(store.server, "/api/pull", { model });
const statusesOf = (records: NativeRecord[]) => records.map(({ status }) => status);

describe("progress records", () => {
  test("begin with the manifest, count the blob's bytes, and end with success", async () => {
    const records = await pull("hf.co/maker/tiny");
    const digest = `sha256:${hub.sha256Of("maker/tiny", "tiny-Q4_K_M.gguf")}`;
    const statuses = statusesOf(records);
    expect(statuses[0]).toBe("pulling manifest");
    expect(statuses.slice(-2)).toEqual(["writing manifest", "success"]);
    const bars = records.filter((record) => record.digest === digest);
    expect(bars.at(-1)).toMatchObject({ total: tiny.length, completed: tiny.length });
    const completed = bars.map((bar) => Number(bar.completed));
    expect(completed).toEqual(completed.toSorted((a, b) => a - b));
    expect(statuses).toContain(`pulling ${digest.slice(7, 19)}`);
    expect(await store.names()).toContain("hf.co/maker/tiny:latest");
    expect(await store.server.ask("What is 2 + 3?", "hf.co/maker/tiny")).toBe("2 + 3 = 5");
  });

  test("of existing files report completion at once", async () => {
    const records = await pull("hf.co/maker/tiny");
    const bars = records.filter(({ digest }) => digest !== undefined);
    expect(bars.every(({ completed, total }) => completed === total)).toBe(true);
    expect(statusesOf(records).at(-1)).toBe("success");
  });

  test("without a stream are the last one", async () => {
    const { json } = await store.server.post("/api/pull", {
      name: "huggingface.co/maker/tiny:q8_0",
      stream: false,
    });
    expect(json).toEqual({ status: "success" });
    expect(await store.names()).toContain("hf.co/maker/tiny:q8_0");
  });

  test("reach Ollama's client", async () => {
    const records = [];
    const stream = await store.client.pull({ model: "hf.co/maker/tiny:Q8_0", stream: true });
    for await (const record of stream) records.push(record);
    expect(records.at(-1)?.status).toBe("success");
  });
});

describe("a failed pull", () => {
  test("is reported in the stream after the first record", async () => {
    expect(await pull("nobody")).toMatchObject([
      { status: "pulling manifest" },
      { error: expect.stringMatching(/^pull model manifest: file does not exist/) },
    ]);
    await expect(store.client.pull({ model: "nobody" })).rejects.toThrow(/file does not exist/);
  });

  test("without a stream has the status that clients expect", async () => {
    const reply = await store.server.post("/api/pull", { model: "nobody", stream: false });
    expect(reply).toMatchObject({ status: 500, json: { error: /file does not exist/ } });
  });

  test.each([
    ["hf.co/maker/nothing", 500, /maker\/nothing/],
    ["hf.co/maker/gated", 403, /accept|token/i],
    ["hf.co/maker/empty", 500, /no .*gguf/i],
    ["hf.co/maker/tiny:Q2_K", 500, /Q4_K_M/],
  ])("%s says why", async (model, status, says) => {
    const records = await pull(model);
    expect(records.at(-1)).toMatchObject({ error: expect.stringMatching(says) });
    const plain = await store.server.post("/api/pull", { model, stream: false });
    expect(plain).toMatchObject({ status, json: { error: expect.stringMatching(says) } });
  });

  test.each([{}, { model: "" }, { model: "a b" }, { model: ":y" }, { model: "./file.gguf" }])(
    "%j is not a valid name",
    async (body) => {
      const reply = await store.server.post("/api/pull", body);
      expect(reply).toMatchObject({
        status: 400,
        json: { error: expect.stringMatching(/^invalid model name/) },
      });
    },
  );

  test("of a file that is not a model names it and does not keep it", async () => {
    const before = store.blobs();
    expect((await pull("hf.co/maker/page")).at(-1)).toMatchObject({
      error: expect.stringMatching(/^page\.gguf of maker\/page is not a GGUF model.* was deleted/),
    });
    expect(store.blobs()).toEqual(before);
  });

  test("has Retry-After when the hub asks to wait", async () => {
    hub.setFaults(() => ({ status: 429, headers: { "retry-after": "3600" } }));
    const reply = await store.server.post("/api/pull", {
      model: "hf.co/maker/left",
      stream: false,
    });
    expect(reply.status).toBe(429);
    expect(reply.headers.get("retry-after")).toBe("3600");
  });
});

describe("clients that pull the same model", () => {
  /** Slow enough that all clients wait for it during a test. */
  const slow = (file: string) =>
    hub.setFaults(({ server, path }) =>
      server === "storage" && path.includes(file) ? { bytesPerSecond: 600_000 } : undefined,
    );
  const sentOf = (file: string) =>
    hub.requests
      .filter(({ server, path }) => server === "storage" && path.includes(file))
      .reduce((sum, { sentBytes }) => sum + sentBytes, 0);

  async function start(model: string) {
    const abort = new AbortController();
    const reply = await fetch(`${store.server.url}/api/pull`, {
      method: "POST",
      body: JSON.stringify({ model }),
      signal: abort.signal,
    });
    return { id: reply.headers.get("x-request-id"), abort, text: reply.text() };
  }

  test("share one download", async () => {
    const [one, two] = await Promise.all([
      pull("hf.co/maker/shared"),
      pull("hf.co/maker/shared:latest"),
    ]);
    for (const records of [one, two]) expect(statusesOf(records).at(-1)).toBe("success");
    expect(sentOf("maker/shared")).toBe(tiny.length);
  });

  test("still get it when one of them disconnects", async () => {
    slow("maker/left");
    const [one, two] = await Promise.all([start("hf.co/maker/left"), start("hf.co/maker/left")]);
    await until(
      () => sentOf("maker/left"),
      (sent) => sent > 0,
    );
    one.abort.abort();
    await expect(one.text).rejects.toThrow();
    hub.setFaults(undefined);
    const records = parseLines(await two.text);
    expect(statusesOf(records).at(-1)).toBe("success");
    expect(sentOf("maker/left")).toBe(tiny.length);
  });

  test("pause the download when the last one disconnects, and resume it later", async () => {
    slow("maker/lonely");
    const only = await start("hf.co/maker/lonely");
    await until(
      () => sentOf("maker/lonely"),
      (sent) => sent > 0,
    );
    only.abort.abort();
    await expect(only.text).rejects.toThrow();
    await until(
      () => store.server.requests(),
      (requests) => requests.every(({ state }) => state !== "running"),
    );
    expect(await store.names()).not.toContain("hf.co/maker/lonely:latest");
    hub.setFaults(undefined);
    const records = await pull("hf.co/maker/lonely");
    expect(statusesOf(records).at(-1)).toBe("success");
    expect(await store.server.ask("What is 2 + 3?", "hf.co/maker/lonely")).toBe("2 + 3 = 5");
  });

  test("are told when one cancels by its id", async () => {
    slow("maker/cancelled");
    const one = await start("hf.co/maker/cancelled");
    await until(
      () => sentOf("maker/cancelled"),
      (sent) => sent > 0,
    );
    expect((await store.server.post("/api/cancel", { id: one.id })).status).toBe(200);
    expect(parseLines(await one.text).at(-1)).toMatchObject({ error: expect.any(String) });
  });
});

test("a model created from a missing hub model pulls it first", async () => {
  const records = await recordsOf(store.server, "/api/create", {
    model: "from-hub",
    from: "hf.co/maker/tiny:Q8_0",
    system: "You are a pirate.",
  });
  const statuses = statusesOf(records);
  expect(statuses.filter((status) => status === "success")).toHaveLength(1);
  expect(statuses.at(-1)).toBe("success");
  expect(await store.server.ask("What is the capital of France?", "from-hub")).toBe(
    "Arr, The capital of France is Paris.",
  );
});
