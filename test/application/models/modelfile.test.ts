// The Modelfile of a model, also after its file was moved.
import { renameSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ModelLibrary } from "../../../source/application/models/model-library.ts";
import { loadSettings } from "../../../source/configuration/load-settings.ts";
import { openStore, type StoreFixture } from "../../support/model-store.ts";

async function made(): Promise<{ library: ModelLibrary; file: string; at: StoreFixture["at"] }> {
  const { folder, tinyAt, create, at } = openStore();
  const file = tinyAt("mine.gguf");
  await create("mine", {
    from: [file],
    system: "Be brief.",
    template: "{{ .Prompt }}",
    parameters: { temperature: 0.5 },
  });
  const settings = { ...loadSettings({}).values, models: at("models") };
  return { library: new ModelLibrary(settings, { data: folder, cache: folder }, {}), file, at };
}

describe("the Modelfile of a model", () => {
  test("recreates the model", async () => {
    const { library, file } = await made();
    const { text, problem } = await library.modelfile("mine");
    expect(text).toContain(`FROM ${file}`);
    expect(text).toContain("PARAMETER temperature 0.5");
    expect(problem).toBeUndefined();
  });

  test("stays the same when its file was moved, with the problem", async () => {
    const { library, file, at } = await made();
    const { text: before } = await library.modelfile("mine");
    renameSync(file, at("elsewhere.gguf"));
    const { text, problem } = await library.modelfile("mine");
    expect(text).toBe(before);
    expect(problem).toMatch(/mine\.gguf, which was moved or deleted/);
    await expect(library.describe("mine")).rejects.toMatchObject({
      code: "STORE_REFERENCE_MISSING",
    });
  });

  test("does not exist for an unknown model", async () => {
    const { library } = await made();
    await expect(library.modelfile("nobody")).rejects.toMatchObject({
      code: "STORE_MODEL_NOT_FOUND",
    });
  });
});
