// Pulling a model whose repository says how it is to be run: the files `template`, `system` and `params`.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { problemOf } from "../../source/application/models/check-template.ts";
import type { ProgressRecord } from "../../source/store/library/layer-maker.ts";
import { ModelStore } from "../../source/store/library/model-store.ts";
import { ModelCatalog } from "../../source/store/model-catalog.ts";
import { pullModel } from "../../source/store/pull-model.ts";
import { tinyFile } from "../support/command-line.ts";
import type { HubContent } from "../support/loopback-hub-content.ts";
import { modelName } from "../support/model-store.ts";
import { splitTiny } from "../support/split-tiny.ts";
import { newFolder, openHub, quick, settingsFor } from "./hub/pulling.ts";

/** @param texts of files next to the tiny model */
async function pullWith(texts: Record<string, string | Buffer>) {
  const beside = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]);
  const files: Record<string, HubContent> = {
    "tiny-Q8_0.gguf": { file: tinyFile },
    ...Object.fromEntries(beside),
  };
  const inGit = Object.keys(texts);
  const hub = await openHub({ repositories: { "owner/name": { files, inGit } } });
  const store = new ModelStore(newFolder());
  const records: ProgressRecord[] = [];
  await pullModel(store, modelName("hf.co/owner/name"), {
    settings: await settingsFor(hub),
    onProgress: (record) => records.push(record),
    templateProblem: async (template) => problemOf(template),
    ...quick,
  });
  const model = await new ModelCatalog({ store }).resolve("hf.co/owner/name");
  return { model, told: records.map(({ status }) => status), records, hub };
}

test("the repository's settings apply to the model, and are reported", async () => {
  const { model, told } = await pullWith({
    template: "{{ .System }}|{{ .Prompt }}|",
    system: "You are a pirate.",
    params: '{"temperature": 0.3, "stop": ["<end>", "|"], "num_ctx": 512}',
  });
  expect(model).toMatchObject({
    template: "{{ .System }}|{{ .Prompt }}|",
    system: "You are a pirate.",
    parameters: { temperature: 0.3, stop: ["<end>", "|"], num_ctx: 512 },
  });
  expect(told).toContain(
    "using the repository's template, system prompt, parameters (temperature, stop, num_ctx)",
  );
  expect(told.at(-1)).toBe("success");
});

test("verifying is a separate status with its own bytes", async () => {
  const { records } = await pullWith({});
  const verifying = records.filter(({ status }) => /verifying/i.test(status));
  const sizeBytes = statSync(tinyFile).size;
  expect(new Set(verifying.map(({ status }) => status))).toEqual(
    new Set(["verifying sha256 digest"]),
  );
  expect(verifying.at(-1)).toMatchObject({ total: sizeBytes, completed: sizeBytes });
  expect(verifying.filter(({ digest }) => digest !== undefined)).toEqual([]);
});

test("unknown parameters are kept", async () => {
  const { model, told } = await pullWith({
    params: '{"temperature": "hot", "magic": 1, "top_k": 5}',
  });
  expect(told).toContain("using the repository's parameters (top_k)");
  expect(told).toContain("some of the repository's params have no effect here: temperature, magic");
  expect(model.parameters).toEqual({ top_k: 5 });
  expect(model.otherValues).toEqual({ temperature: "hot", magic: 1 });
});

test.each([
  [
    "a template that cannot be read",
    { template: "{{ if }}" },
    /^ignoring the repository's template: /,
  ],
  ["parameters that are no JSON", { params: "temperature 1" }, /params: it is not a JSON object$/],
  ["parameters that are a list", { params: "[1]" }, /params: it is not a JSON object$/],
  ["a text of megabytes", { system: "x".repeat(2 ** 20 + 1) }, /system: it is too long/],
])("%s is left out, with a note", async (_, texts, sentence) => {
  const { model, told } = await pullWith(texts);
  expect(told).toContainEqual(expect.stringMatching(sentence));
  expect(model).toMatchObject({ template: undefined, system: undefined, parameters: {} });
});

test("a repository without settings is asked for none, and empty texts are ignored", async () => {
  const { told, hub } = await pullWith({ "docs/template": "no", "template.txt": "no" });
  expect(told.filter((line) => line.includes("repository"))).toEqual([]);
  const asked = hub.requests.filter(({ path }) => path.includes("template"));
  expect(asked).toEqual([]);
  const { model } = await pullWith({ template: "\n", system: "" });
  expect(model).toMatchObject({ template: undefined, system: undefined });
});

test.each([
  ["tiny", "our.hub/OWNER/REPO:Q4_K_M"],
  ["maker/tiny-GGUF", "our.hub/maker/tiny-GGUF"],
  ["maker/tiny-GGUF:Q8_0", "our.hub/maker/tiny-GGUF:Q8_0"],
])("%s, which is not on the hub, is refused with a valid name", async (text, likely) => {
  const hub = await openHub({ repositories: {} });
  const pulling = pullModel(new ModelStore(newFolder(), ["our.hub"]), modelName(text), {
    settings: await settingsFor(hub),
    templateProblem: async () => undefined,
  });
  await expect(pulling).rejects.toMatchObject({
    code: "STORE_NO_REGISTRY",
    hint: `Name a repository, such as ${likely}, or run: modelctl list`,
  });
  expect(hub.requests).toEqual([]);
});

test("files that do not form a model are named as on the hub, and only needed ones are kept", async () => {
  const folder = newFolder();
  const [first = ""] = splitTiny(path.join(folder, "first"), path.join(folder, "second"));
  const parts = {
    "a-00001-of-00002.gguf": { file: first },
    "a-00002-of-00002.gguf": { file: tinyFile },
  };
  const hub = await openHub({
    repositories: {
      "owner/name": { files: parts },
      "owner/whole": { files: { "whole.gguf": { file: tinyFile } } },
    },
  });
  const store = new ModelStore(path.join(folder, "store"));
  const settings = await settingsFor(hub);
  const templateProblem = async () => undefined;
  const pulling = (name: string) =>
    pullModel(store, modelName(name), { settings, templateProblem, ...quick });
  const message =
    "a-00001-of-00002.gguf of owner/name and a-00002-of-00002.gguf of owner/name are two models; only one is allowed.";
  await expect(pulling("hf.co/owner/name")).rejects.toMatchObject({
    message,
    hint: expect.stringMatching(/^They were deleted\. Choose another/),
  });
  expect(readdirSync(store.folder.blobsFolder)).toEqual([]);
  await pulling("hf.co/owner/whole");
  await expect(pulling("hf.co/owner/name")).rejects.toMatchObject({
    message,
    hint: expect.stringMatching(/^Choose another/),
  });
  const whole = await new ModelCatalog({ store }).resolve("hf.co/owner/whole");
  expect(readFileSync(whole.facts.path).equals(readFileSync(tinyFile))).toBe(true);
});
