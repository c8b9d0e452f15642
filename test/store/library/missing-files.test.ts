// Models whose files were moved, deleted or replaced: found without reading a file.
import { appendFileSync, rmSync, truncateSync } from "node:fs";
import { expect, test } from "vitest";
import { findMissingFiles } from "../../../source/store/library/missing-files.ts";
import { openStore } from "../../support/model-store.ts";

test("missing files and files of another size are named with their models", async () => {
  const { create, catalog, tinyAt } = openStore();
  const [kept, gone, changed] = ["kept.gguf", "gone.gguf", "changed.gguf"].map((name) =>
    tinyAt(name),
  );
  await create("of-kept", { from: ["kept.gguf"] });
  await create("of-gone", { from: ["gone.gguf"] });
  await create("of-gone-too", { from: ["gone.gguf"] });
  await create("of-changed", { from: ["changed.gguf"] });
  await create("of-a-copy", { from: ["gone.gguf"] }, { copy: true });
  const { models } = await catalog.listModels();
  expect(await findMissingFiles(models)).toEqual([]);
  expect(models.find(({ name }) => name === "of-kept:latest")?.refersTo).toEqual([
    { path: kept, sizeBytes: 1_933_632 },
  ]);
  rmSync(String(gone));
  appendFileSync(String(changed), "x");
  const lost = await findMissingFiles(models);
  expect(lost.toSorted((a, b) => (a.model < b.model ? -1 : 1))).toEqual([
    { model: "of-changed:latest", path: changed, isThere: true, isBlob: false },
    { model: "of-gone-too:latest", path: gone, isThere: false, isBlob: false },
    { model: "of-gone:latest", path: gone, isThere: false, isBlob: false },
  ]);
});

test("a missing or truncated blob of weights is named too", async () => {
  const { create, catalog, store, tinyAt } = openStore();
  tinyAt("tiny.gguf");
  await create("mine", { from: ["tiny.gguf"] }, { copy: true });
  const { models } = await catalog.listModels();
  expect(await findMissingFiles(models)).toEqual([]);
  const [blob] = models.flatMap(({ blobs }) => blobs.map(({ path }) => path));
  expect(blob).toContain(store.folder.blobsFolder);
  const lost = { model: "mine:latest", path: blob, isBlob: true };
  truncateSync(String(blob), 1000);
  expect(await findMissingFiles(models)).toEqual([{ ...lost, isThere: true }]);
  rmSync(String(blob));
  expect(await findMissingFiles(models)).toEqual([{ ...lost, isThere: false }]);
});
