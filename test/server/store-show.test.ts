// Showing models over the API, without loading them.
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseModelfile } from "../../source/store/modelfile/parse-modelfile.ts";
import { tinyFile } from "../support/command-line.ts";
import { badFiles } from "../support/gguf-variants.ts";
import { projectorFile, sha256, visionFile, writeModel } from "../support/model-store.ts";
import { splitTiny } from "../support/split-tiny.ts";
import { StoreServer } from "../support/store-server.ts";

let store: StoreServer;
beforeAll(async () => {
  store = await StoreServer.start();
});
afterAll(async () => await store.close());

type Shown = Record<string, unknown> & {
  modelfile: string;
  model_info: Record<string, unknown>;
  tensors: Array<{ name: string; type: string; shape: number[] }>;
  template_origin: Record<string, unknown>;
};

async function show(model: string, more: Record<string, unknown> = {}): Promise<Shown> {
  const { status, json } = await store.server.post("/api/show", { model, ...more });
  expect(status).toBe(200);
  return json as Shown;
}

describe("the built-in model", () => {
  test("shows its file's metadata, without name and template", async () => {
    const shown = await show("tiny");
    expect(shown.model_info).toMatchObject({
      "general.architecture": "llama",
      "llama.context_length": 4096,
      "tokenizer.ggml.tokens": [],
    });
    expect(shown.model_info).not.toHaveProperty("general.name");
    expect(shown.model_info).not.toHaveProperty("tokenizer.chat_template");
    expect(shown).toMatchObject({
      capabilities: ["completion", "tools"],
      details: {
        format: "gguf",
        family: "llama",
        parameter_size: "954K",
        quantization_level: "F16",
      },
      store: "built-in",
      template: expect.stringContaining("{%"),
      template_origin: { origin: "gguf", language: "jinja", is_guess: false },
      unprintable: [],
    });
    expect(shown.modified_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/);
    expect(shown.tensors).toHaveLength(38);
    expect(shown.tensors).toContainEqual({
      name: "token_embd.weight",
      type: "F16",
      shape: [128, 786],
    });
  });

  test("with verbose has its whole vocabulary", async () => {
    const { model_info } = await show("tiny", { verbose: true });
    expect(model_info["tokenizer.ggml.tokens"]).toHaveLength(786);
  });

  test("has no vision without a projector, whatever the file name", async () => {
    copyFileSync(visionFile, store.at("blind.gguf"));
    await store.server.post("/api/create", { model: "blind", from: store.at("blind.gguf") });
    expect((await show("blind")).capabilities).not.toContain("vision");
    copyFileSync(visionFile, store.at("seeing.gguf"));
    copyFileSync(projectorFile, store.at("mmproj-seeing.gguf"));
    const seeing = await show(store.at("seeing.gguf"));
    expect(seeing.capabilities).toContain("vision");
    expect(seeing.projector_info).toMatchObject({ "general.architecture": "clip" });
  });
});

test("a file without weights is reported as such", async () => {
  writeModel(store.at("vocabulary.gguf"));
  const model = store.at("vocabulary.gguf");
  expect(await show(model)).toMatchObject({
    template_origin: { reason: expect.stringContaining("a vocabulary but no weights") },
    capabilities: [],
  });
  const { status, json } = await store.server.post("/api/generate", { model, prompt: "Hi" });
  expect(status).toBe(400);
  expect(json).toMatchObject({
    error: expect.stringContaining("has a vocabulary but no weights"),
  });
});

test("a renamed part of a split model is reported as such", async () => {
  splitTiny(store.at("one.gguf"), store.at("two.gguf"));
  for (const [name, part] of [
    ["one", 1],
    ["two", 2],
  ]) {
    const file = store.at(`${name}.gguf`);
    const body = { model: file, prompt: "Hi" };
    const { status, json } = await store.server.post("/api/generate", body);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: expect.stringContaining(`${file} is part ${part} of 2 of a split model`),
    });
  }
});

describe("the template in use", () => {
  test("is the model's TEMPLATE, and the reply says why", async () => {
    const template = "{{ .System }}|{{ .Prompt }}|{{ .Suffix }}";
    await store.client.create({ model: "own", from: "tiny", template });
    expect(await show("own")).toMatchObject({
      template,
      template_origin: {
        origin: "modelfile",
        language: "go",
        reason: expect.stringContaining("The Modelfile has a TEMPLATE"),
      },
      capabilities: ["completion", "insert"],
    });
  });

  test("that is invalid hides nothing else", async () => {
    badFiles
      .find(({ name }) => name === "with a broken chat template")
      ?.make(store.at("broken.gguf"));
    expect(await show(store.at("broken.gguf"))).toMatchObject({
      template_origin: { origin: "none", reason: expect.stringContaining("cannot be read") },
      capabilities: ["completion"],
    });
  });
});

describe("the Modelfile", () => {
  test("recreates the same model", async () => {
    const { json } = await store.server.post("/api/create", {
      model: "whole",
      from: store.tinyAt("whole.gguf"),
      stream: false,
      system: 'He said "hi"\nand left.',
      parameters: { stop: [" a ", "b"], temperature: 0.5 },
      messages: [
        { role: "user", content: "Hello!" },
        { role: "assistant", content: "Hi!" },
      ],
      license: "MIT",
    });
    expect(json).toEqual({ status: "success" });
    const { modelfile } = await show("whole");
    expect(parseModelfile(modelfile).definition).toMatchObject({
      from: [store.at("whole.gguf")],
      system: 'He said "hi"\nand left.',
      parameters: { stop: [" a ", "b"], temperature: 0.5 },
      messages: [
        { role: "user", content: "Hello!" },
        { role: "assistant", content: "Hi!" },
      ],
      licenses: ["MIT"],
    });
    expect(modelfile).toContain("# FROM whole:latest");
  });

  test("of a split model names its parts, wherever they are", async () => {
    splitTiny(store.at("half-00001-of-00002.gguf"), store.at("half-00002-of-00002.gguf"));
    splitTiny(store.at("one.gguf"), store.at("two.gguf"));
    const beside = store.at("half-00001-of-00002.gguf");
    await store.server.post("/api/create", { model: "beside", from: beside });
    expect(parseModelfile((await show("beside")).modelfile).definition.from).toEqual([beside]);
    // Sent as blobs, their names say nothing.
    const digests = ["one.gguf", "two.gguf"].map((name) => readFileSync(store.at(name)));
    const files: Record<string, string> = {};
    for (const [index, content] of digests.entries()) {
      const digest = `sha256:${sha256(content)}`;
      await store.server.send(`/api/blobs/${digest}`, { method: "POST", body: content });
      files[`part-${index}.gguf`] = digest;
    }
    await store.server.post("/api/create", { model: "sent", files });
    const shown = await show("sent");
    const { from } = parseModelfile(shown.modelfile).definition;
    expect(from.map((file) => path.basename(file))).toEqual(
      Object.values(files).map((digest) => digest.replace(":", "-")),
    );
    expect(shown.tensors).toHaveLength(38);
    expect(shown.model_info).toMatchObject({ "general.parameter_count": 953_728 });
    expect(await store.server.ask("What is 2 + 3?", "sent")).toBe("2 + 3 = 5");
  });

  test("is changed only by the fields of the request", async () => {
    const shown = await show("whole", { system: "Another.", options: { top_k: 3 } });
    expect(parseModelfile(shown.modelfile).definition).toMatchObject({
      system: "Another.",
      parameters: { top_k: 3, temperature: 0.5 },
    });
    expect(shown.system).toBe('He said "hi"\nand left.');
    const same = await show("whole", { system: "", options: { stop: [] } });
    expect(same.modelfile).toBe((await show("whole")).modelfile);
    expect(shown.parameters).not.toContain("top_k");
  });

  test("names what it cannot express", async () => {
    await store.server.post("/api/create", {
      model: "unsayable",
      from: "tiny",
      system: 'a "\nPARAMETER top_k 3',
      messages: [{ role: "user", content: '"""\nSYSTEM x' }],
    });
    const { unprintable, modelfile } = await show("unsayable");
    for (const { field, reason } of unprintable as Array<{ field: string; reason: string }>) {
      expect(modelfile).toContain(`# ${field} cannot be written in a Modelfile: ${reason}.`);
    }
  });
});

describe("show is refused", () => {
  test.each([
    ["without a name", {}, 400, "model is required"],
    ["with a malformed name", { model: "a b" }, 400, "invalid model name"],
    ["for an unknown model", { model: "nobody" }, 404, "model 'nobody:latest' not found"],
    ["for a file outside", { model: tinyFile }, 403, "is not allowed over the network"],
  ])("%s", async (_, body, status, says) => {
    const reply = await store.server.post("/api/show", body);
    expect(reply).toMatchObject({ status, json: { error: expect.stringContaining(says) } });
  });

  test("through Ollama's client with the text that it matches", async () => {
    await expect(store.client.show({ model: "nobody" })).rejects.toThrow(/not found/);
  });
});
