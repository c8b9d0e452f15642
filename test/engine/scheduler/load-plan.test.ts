// Replaced files of a loaded model are noticed.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { stateOfFiles } from "../../../source/engine/scheduler/load-plan.ts";

const folder = mkdtempSync(path.join(tmpdir(), "modelctl-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
  return file;
}

test.each(["big-00002-of-00003.gguf", "big-00003-of-00003.gguf", "adapter.gguf", "mmproj.gguf"])(
  "a model has changed when %s was replaced",
  async (name) => {
    const parts = [1, 2, 3].map((part) =>
      fileWith(`big-0000${part}-of-00003.gguf`, `part ${part}`),
    );
    const model = {
      parts,
      adapters: [fileWith("adapter.gguf", "adapter")],
      projectors: [fileWith("mmproj.gguf", "projector")],
    };
    const before = await stateOfFiles(model);
    expect(await stateOfFiles(model)).toBe(before);
    fileWith(name, "another one");
    expect(await stateOfFiles(model)).not.toBe(before);
  },
);
