// Models named by a path, which becomes absolute for a server in another folder.
import path from "node:path";
import { expect, test } from "vitest";
import { wholeReference } from "../../source/base/file-path.ts";

const prefixes = ["hf.co", "huggingface.co", "hf:"];

test.each([
  "tiny",
  "owner/model:8b",
  "hf.co/owner/name:a-Q8_0.gguf",
  "HF.co/owner/name:a.gguf",
  "hf:owner/name:a.gguf",
  "https://huggingface.co/owner/name/blob/main/a.gguf",
])("%s is a name and stays unchanged", (text) => {
  expect(wholeReference(text, prefixes)).toBe(text);
});

test.each(["a.gguf", "./a", "hf.co.gguf", "folder/a.gguf", "hf:a.gguf"])("%s is a path", (text) => {
  expect(wholeReference(text, prefixes)).toBe(path.resolve(text));
});

test("a prefix selects the setting", () => {
  expect(wholeReference("our.hub/owner/name:a.gguf", ["our.hub"])).toBe(
    "our.hub/owner/name:a.gguf",
  );
  expect(wholeReference("hf.co/owner/a.gguf", ["our.hub"])).toBe(
    path.resolve("hf.co/owner/a.gguf"),
  );
});
