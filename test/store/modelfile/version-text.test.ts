// REQUIRES is enforced: a model that asks for a later Ollama than this program stands in for is
// neither made nor run, but it is shown, and a model made from it may ask for less.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isLater, ollamaVersion } from "../../../source/store/modelfile/version-text.ts";
import { tinyFile } from "../../support/command-line.ts";
import { openStore, temporaryFolder, writeOllamaModel } from "../../support/model-store.ts";

const tooLate = {
  code: "STORE_VERSION_REQUIRED",
  status: 400,
  message: expect.stringMatching(/requires Ollama 99\.1 or later.* Ollama 0\.\d+\.\d+\.$/),
  hint: expect.stringContaining("lower REQUIRES"),
};

/** Our store, and one of Ollama's whose model `ahead` requires this version. */
function withRequiring(requires: string) {
  const ollama = path.join(temporaryFolder(), "models");
  const weights = { kind: "model", content: readFileSync(tinyFile) };
  writeOllamaModel(ollama, "ahead", [weights], { requires });
  return openStore(undefined, { ollamaFolders: [ollama] });
}

test("a model that needs a later version is not created", async () => {
  const { create, tinyAt, catalog, blobs } = openStore();
  tinyAt("a.gguf");
  const making = create("mine", { from: ["a.gguf"], requires: "99.1" });
  await expect(making).rejects.toMatchObject(tooLate);
  await expect(catalog.resolve("mine")).rejects.toThrow("not found");
  expect(blobs()).toEqual([]);
});

test("a model created from one needs that version too, unless it needs less", async () => {
  const { create, catalog } = withRequiring("99.1");
  await expect(create("mine", { from: ["ahead"] })).rejects.toMatchObject(tooLate);
  await create("mine", { from: ["ahead"], requires: ollamaVersion });
  expect((await catalog.resolveToRun("mine")).requires).toBe(ollamaVersion);
});

test("an existing one is shown but not run", async () => {
  const { catalog } = withRequiring("v99.1");
  expect((await catalog.resolve("ahead")).requires).toBe("v99.1");
  await expect(catalog.resolveToRun("ahead")).rejects.toMatchObject(tooLate);
});

test.each(["0.14.0", "1-of-a-kind", ollamaVersion])("%s requires nothing", async (text) => {
  const { catalog } = withRequiring(text);
  expect((await catalog.resolveToRun("ahead")).requires).toBe(text);
});

// Includes the examples of https://semver.org, rule 11.
test("versions are ordered by semantic versioning", () => {
  const ordered = [
    ...["0.9", "0.10.0-rc1", "0.10", "0.10.1", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta"],
    ...["1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.1", "2"],
  ];
  for (const [at, version] of ordered.entries()) {
    for (const [otherAt, other] of ordered.entries()) {
      expect([version, other, isLater(version, other)]).toEqual([version, other, at > otherAt]);
    }
  }
  expect(isLater("1.2.3+build.7", "1.2.3+build.6")).toBe(false);
});
