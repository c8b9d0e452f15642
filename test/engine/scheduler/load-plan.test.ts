// Replaced files of a loaded model are noticed, and the same ones found behind other paths.
import { linkSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { filesOf } from "../../../source/engine/scheduler/load-plan.ts";

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
    const before = await filesOf(model);
    expect(await filesOf(model)).toEqual(before);
    fileWith(name, "another one");
    const after = await filesOf(model);
    expect(after.key).toBe(before.key);
    expect(after.state).not.toBe(before.state);
  },
);

test("a file is the same behind symbolic and hard links, and in another role it is not", async () => {
  const alone = (file: string) => ({ parts: [file], adapters: [], projectors: [] });
  const file = fileWith("one.gguf", "weights");
  const symbolic = path.join(folder, "symbolic.gguf");
  const hard = path.join(folder, "hard.gguf");
  symlinkSync(file, symbolic);
  linkSync(file, hard);
  const own = await filesOf(alone(file));
  expect(await filesOf(alone(symbolic))).toEqual(own);
  const linked = await filesOf(alone(hard));
  expect(linked.key).not.toBe(own.key);
  expect(linked).toEqual({ ...own, key: linked.key });
  const other = await filesOf(alone(fileWith("two.gguf", "weights")));
  expect([other.key, other.inodes]).not.toContain(own.key);
  expect(other.inodes).not.toBe(own.inodes);
  expect((await filesOf({ ...alone(file), projectors: [file] })).key).not.toBe(own.key);
  const missing = alone(path.join(folder, "missing.gguf"));
  expect(await filesOf(missing)).toEqual(await filesOf(missing));
});
