// A model named by its file finds its projector in the same folder, and no other model's.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findProjectors } from "../../../source/store/library/resolve-file.ts";
import { tinyFile } from "../../support/command-line.ts";
import {
  openStore,
  projectorFile,
  temporaryFolder,
  visionFile,
} from "../../support/model-store.ts";

/** A model, its projector, and other files in its folder. */
const folders: Record<string, [model: string, projector?: string | undefined, ...string[]]> = {
  "the only one": ["m.gguf", "mmproj.gguf"],
  "one of any name beside a single model": ["m.gguf", "mmproj-x.gguf"],
  none: ["m.gguf", undefined, "n.gguf"],
  "that of the same name": [
    "llava-7b-Q4_K_M.gguf",
    "mmproj-llava-7b-f16.gguf",
    "gemma-3-Q4_0.gguf",
  ],
  "none of another model's": [
    "gemma-3-Q4_0.gguf",
    undefined,
    "llava-7b-Q4_K_M.gguf",
    "mmproj-llava-7b-f16.gguf",
  ],
  "a nameless one, where all files are one model": [
    "a-Q8_0.gguf",
    "mmproj-F16.gguf",
    "a-Q4_K_M.gguf",
    "a-UD-IQ2_XXS.gguf",
  ],
  "no nameless one, where there are several models": [
    "a-Q4_K_M.gguf",
    undefined,
    "b-Q8_0.gguf",
    "mmproj-model-f16.gguf",
  ],
  "the one of the nearest precision": [
    "a-Q8_0.gguf",
    "mmproj-Q8_0.gguf",
    "mmproj-F32.gguf",
    "mmproj-F16.gguf",
  ],
  "the one of the nearest precision from below": [
    "a-Q4_K_M.gguf",
    "mmproj-BF16.gguf",
    "mmproj-F32.gguf",
  ],
  "that of a split model": [
    "a-Q4_K_M-00001-of-00002.gguf",
    "mmproj-a-f16.gguf",
    "a-Q4_K_M-00002-of-00002.gguf",
  ],
  "one whose name ends with mmproj": [
    "llava-v1.5-7b-Q4_K.gguf",
    "llava-v1.5-7b-mmproj-f16.gguf",
    "x.gguf",
  ],
  "nothing but GGUF files": ["m.gguf", undefined, "mmproj.gguf.part", "mmproj.txt"],
};

test.each(Object.entries(folders))("finds %s", async (_, [model, projector, ...others]) => {
  const folder = temporaryFolder();
  const found = projector === undefined ? [] : [path.join(folder, projector)];
  for (const name of [model, ...others]) writeFileSync(path.join(folder, name), "");
  for (const file of found) writeFileSync(file, "");
  expect(await findProjectors(path.join(folder, model))).toEqual(found);
});

test("a model named by its path reports the projector that it found", async () => {
  const { catalog } = openStore();
  expect((await catalog.resolve(visionFile)).projectors).toEqual([projectorFile]);
  expect(await catalog.resolve(tinyFile)).toMatchObject({
    projectors: [],
    origin: "file",
    store: undefined,
    digest: undefined,
    details: { parameterSize: "954K" },
  });
});
