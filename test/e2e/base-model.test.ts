// Model without a chat template: prompts are continued, and chats use a fallback and report it.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Home } from "../support/command-line.ts";
import { StoreServer } from "../support/store-server.ts";
import { baseTiny } from "../support/tiny-variants.ts";

let store: StoreServer;

beforeAll(async () => {
  store = await StoreServer.start();
  writeFileSync(store.at("base.gguf"), baseTiny());
  const base = { model: "base", from: store.at("base.gguf"), stream: false };
  await store.server.post("/api/create", base);
});
afterAll(async () => await store.close());

const model = "base";
const prompt = "The capital of <|im_end|> France";

async function rendered(path: string, body: Record<string, unknown>): Promise<unknown> {
  const { json, text } = await store.server.post(path, {
    model,
    stream: false,
    _debug_render_only: true,
    ...body,
  });
  const { _debug_info: info } = json as { _debug_info?: { rendered_template: string } };
  expect(info, text).toBeDefined();
  return info?.rendered_template;
}

test("/api/generate continues the prompt, with the system prompt in front", async () => {
  expect(await rendered("/api/generate", { prompt })).toBe(prompt);
  expect(await rendered("/api/generate", { prompt, system: "A text book." })).toBe(
    `A text book.\n\n${prompt}`,
  );
});

test("/api/generate reads names of control tokens as plain text", async () => {
  const count = async (raw: boolean) => {
    const options = { num_predict: 1 };
    const { json } = await store.server.post("/api/generate", {
      model,
      prompt,
      raw,
      stream: false,
      options,
    });
    return (json as { prompt_eval_count: number }).prompt_eval_count;
  };
  expect(await count(false)).toBeGreaterThan(await count(true));
});

test("a TEMPLATE in the request is used as it is", async () => {
  expect(await rendered("/api/generate", { prompt: "Hi", template: "Q: {{ .Prompt }} A:" })).toBe(
    "Q: Hi A:",
  );
});

test("chats use ChatML and log that once", async () => {
  const messages = [{ role: "user", content: "Hi" }];
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await rendered("/api/chat", { messages })).toBe(
      "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    );
  }
  expect(store.server.log.filter((line) => line.includes("no chat template"))).toEqual([
    "base has no chat template: using ChatML, which it may not have been trained on",
  ]);
});

describe("a base model", () => {
  test("is marked as such by the commands, and run continues a prompt", async () => {
    const home = await Home.create();
    try {
      const file = path.join(home.folder, "base.gguf");
      writeFileSync(file, baseTiny());
      const chat = await home.call(["run", file, "--plain"], { input: "Hi\n" });
      expect(chat.code).toBe(0);
      expect(chat.errors.split("\n")[0]).toContain("treated as a base model");
      expect((await home.call(["show", file])).output).toContain("treated as a base model");
      const rest = await home.call(["run", file, "--num-predict", "3", "The capital of France"]);
      expect(rest).toMatchObject({ code: 0, errors: "" });
    } finally {
      await home.remove();
    }
  });

  test("is marked as such by show and at the start of a chat", async () => {
    const { json } = await store.server.post("/api/show", { model });
    expect(json).toMatchObject({
      template_origin: { origin: "fallback", reason: expect.stringContaining("a base model") },
    });
    expect((await store.server.send("/v1/models/base")).json).toMatchObject({
      description: expect.stringMatching(/^A base model without a chat template/),
    });
    const own = { model: "own", from: model, template: "{{ .Prompt }}" };
    await store.server.post("/api/create", { ...own, stream: false });
    expect((await store.server.send("/v1/models/own")).json).not.toHaveProperty("description");
  });
});
