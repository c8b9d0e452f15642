// The list of models, and the files that may be named.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { isInFolders, ModelCatalog } from "../../source/store/model-catalog.ts";
import { tinyFile } from "../support/command-line.ts";

describe("the built-in model", () => {
  test.each(["tiny", "tiny:latest", "TINY", "Tiny:Latest"])("is found as %s", async (name) => {
    expect(await new ModelCatalog().resolve(name)).toMatchObject({
      facts: { path: tinyFile, architecture: "llama" },
      parameters: { temperature: 0 },
    });
  });

  test("is listed with its tag and capabilities", () => {
    expect(new ModelCatalog().list()).toMatchObject([
      { name: "tiny:latest", file: tinyFile, card: expect.stringContaining("test model") },
    ]);
  });

  test("describes its file, and nothing more", async () => {
    expect(await new ModelCatalog().resolve("tiny")).toMatchObject({
      name: "tiny:latest",
      origin: "built-in",
      store: undefined,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      sizeBytes: 1_933_632,
      details: { family: "llama", parameterSize: "954K", quantizationLevel: "F16" },
      projectors: [],
      adapters: [],
      template: undefined,
      messages: [],
      otherValues: {},
    });
  });

  test("has no other tags", async () => {
    await expect(new ModelCatalog().resolve("tiny:8b")).rejects.toMatchObject({
      code: "STORE_MODEL_NOT_FOUND",
      status: 404,
      exitCode: 3,
      message: "model 'tiny:8b' not found",
      hint: expect.stringContaining("tiny"),
    });
  });
});

test.each([
  ["hf.co/maker/tiny-GGUF:Q8_0", "Pull it with: modelctl pull hf.co/maker/tiny-GGUF:Q8_0;"],
  ["hf:maker/tiny-GGUF", "Pull it with: modelctl pull hf.co/maker/tiny-GGUF;"],
  ["maker/tiny-GGUF", "Its name on the hub would be hf.co/maker/tiny-GGUF;"],
  ["tinny", "Built in: tiny;"],
])("the unknown %s is reported with how to get it", async (name, hint) => {
  await expect(new ModelCatalog().resolve(name)).rejects.toMatchObject({
    message: `model '${name}' not found`,
    hint: expect.stringContaining(hint),
  });
});

describe("files", () => {
  test("are models under their absolute path, without parameters", async () => {
    const relative = path.relative(process.cwd(), tinyFile);
    expect(await new ModelCatalog().resolve(`./${relative}`)).toMatchObject({
      name: tinyFile,
      parameters: {},
      card: undefined,
    });
  });

  test("that are not allowed are refused before any lookup", async () => {
    const seen: string[] = [];
    const refuse = (file: string) => {
      seen.push(file);
      return false;
    };
    for (const file of [tinyFile, "/no/such/file.gguf"]) {
      await expect(new ModelCatalog().resolve(file, refuse)).rejects.toMatchObject({
        code: "STORE_FILE_NOT_ALLOWED",
        message: `Access to the file ${file} is not allowed over the network.`,
      });
    }
    expect(seen).toEqual([tinyFile, "/no/such/file.gguf"]);
  });
});

describe("a file in a folder", () => {
  test.each([
    ["/models/a.gguf", true],
    ["/models/deep/down/a.gguf", true],
    ["/models", false],
    ["/models/../etc/passwd", false],
    ["/models-too/a.gguf", false],
    ["/a.gguf", false],
    ["/other/a.gguf", true],
  ])("%s: %s", (file, expected) => {
    expect(isInFolders(path.resolve(file), ["/models", "/other"])).toBe(expected);
  });

  test("is not found through a link that leads outside", async () => {
    const root = await mkdtemp(path.join(tmpdir(), "folders-"));
    try {
      const [inside, outside] = [path.join(root, "inside"), path.join(root, "outside")];
      for (const folder of [inside, outside]) {
        await mkdir(folder);
        await writeFile(path.join(folder, "a.gguf"), "");
      }
      await symlink(path.join(outside, "a.gguf"), path.join(inside, "out.gguf"));
      await symlink(outside, path.join(inside, "out"));
      await symlink(path.join(inside, "a.gguf"), path.join(inside, "in.gguf"));
      await symlink(inside, path.join(root, "linked"));
      const found = (name: string) => isInFolders(path.join(inside, name), [inside]);
      expect(["a.gguf", "in.gguf", "out.gguf", "out/a.gguf"].map(found)).toEqual([
        true,
        true,
        false,
        false,
      ]);
      // The folder itself may be a link.
      expect(isInFolders(path.join(root, "linked", "a.gguf"), [path.join(root, "linked")])).toBe(
        true,
      );
    } finally {
      await rm(root, { recursive: true });
    }
  });

  test("are not found without folders", () => {
    expect(isInFolders("/models/a.gguf", [])).toBe(false);
  });
});
