// POST /v1/rerank with a cross-encoder made here, against the same numbers computed in Python.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { crossEncoder, pairTokens } from "../support/cross-encoder.ts";
import { TestServer } from "../support/test-server.ts";

const script = new URL("../support/cross-encoder.py", import.meta.url).pathname;
const folder = mkdtempSync(path.join(tmpdir(), "modelctl-rerank-"));
const model = path.join(folder, "ranker.gguf");
const { gguf, numbers } = crossEncoder();
const query = "rome is the capital";
const documents = ["a cat", "rome is a city of italy", "paris is the capital of france", "dog"];

let server: TestServer;
beforeAll(async () => {
  writeFileSync(model, gguf);
  server = await TestServer.start({ model_folders: [folder] });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ranking {
  results: Array<{ index: number; relevance_score: number; document?: { text: string } }>;
  usage: { prompt_tokens: number; total_tokens: number };
}

async function rank(more: Record<string, unknown> = {}): Promise<Ranking> {
  const { status, json, text } = await server.post("/v1/rerank", {
    model,
    query,
    documents,
    ...more,
  });
  expect({ status, text }).toMatchObject({ status: 200 });
  return json as Ranking;
}

function expectedScores(): number[] {
  const pairs = documents.map((document) => pairTokens(query, document));
  const input = JSON.stringify({ ...numbers, pairs });
  const { stdout, stderr } = spawnSync("python3", [script], { input, encoding: "utf8" });
  expect(stderr).toBe("");
  return (JSON.parse(stdout) as number[]).map((logit) => 1 / (1 + Math.exp(-logit)));
}

describe("a ranking", () => {
  test("has the scores that Python computes, the best first", async () => {
    const { results, usage } = await rank();
    const expected = expectedScores();
    expect(new Set(expected.map((score) => score.toFixed(2))).size).toBeGreaterThan(1);
    for (const { index, relevance_score } of results) {
      expect(relevance_score).toBeCloseTo(expected[index] ?? Number.NaN, 2);
    }
    const scores = results.map(({ relevance_score }) => relevance_score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(results.map(({ index }) => index).toSorted()).toEqual([0, 1, 2, 3]);
    const tokens = documents.reduce((sum, each) => sum + pairTokens(query, each).length, 0);
    expect(usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
  });

  test("may be cut to the best, with the documents, which may be objects", async () => {
    const all = await rank();
    const { results } = await rank({
      top_n: 2,
      return_documents: true,
      documents: documents.map((text) => ({ text })),
    });
    expect(results.map(({ index }) => index)).toEqual(
      all.results.slice(0, 2).map(({ index }) => index),
    );
    for (const { index, document } of results) expect(document?.text).toBe(documents[index]);
    expect((await rank({ top_n: 99 })).results).toHaveLength(4);
  });

  test("reads names of control tokens in texts as text", async () => {
    const marked = await rank({ documents: ["[SEP] rome", "rome"] });
    const [first, second] = marked.results.toSorted((a, b) => a.index - b.index);
    expect(marked.usage.prompt_tokens).toBeGreaterThan(2 * pairTokens(query, "rome").length);
    expect(first?.relevance_score).not.toBe(second?.relevance_score);
  });

  test("of a document that is too long is refused, or cut on request", async () => {
    const long = "rome ".repeat(40).trim();
    const body = { model, query, documents: [long] };
    const refused = await server.post("/v1/rerank", body);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("exceeds the context length");
    expect((await rank({ documents: [long], truncate: true })).usage.prompt_tokens).toBe(32);
  });
});

describe("a request", () => {
  test.each([0, 10_000])("with %i documents is refused with the limits", async (length) => {
    const many = Array.from({ length }, () => "rome");
    const { status, text } = await server.post("/v1/rerank", { model, query, documents: many });
    expect(status).toBe(400);
    expect(text).toContain(`'documents' has ${length} texts, but must have from 1 to 1000.`);
  });

  test("to a model that does not rank is refused", async () => {
    const { status, text } = await server.post("/v1/rerank", { model: "tiny", query, documents });
    expect(status).toBe(400);
    expect(text).toContain("does not support rerank");
  });

  test.each([
    ["/v1/embeddings", { input: "rome" }],
    ["/api/embed", { input: "rome" }],
    ["/v1/chat/completions", { messages: [{ role: "user", content: "rome" }] }],
    ["/api/generate", { prompt: "rome" }],
  ])("of another kind at %s is refused by a model that ranks", async (route, body) => {
    const { status, text } = await server.post(route, { model, ...body, stream: false });
    expect(status).toBe(400);
    expect(text).toContain("does not support");
  });
});

test("the model's capability is rerank", async () => {
  const { json } = await server.post("/api/show", { model });
  expect(json).toMatchObject({ capabilities: ["rerank"] });
});
