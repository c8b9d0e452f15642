// Paths as typed, and models named by one, which becomes absolute for a server in another folder.
import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { looksLikePath, toAbsolutePath, wholeReference } from "../../source/base/file-path.ts";

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

describe("paths", () => {
  test.each([
    ["/a", true],
    ["./a", true],
    ["../a", true],
    ["~/a", true],
    ["a.gguf", true],
    ["A.GGUF", true],
    ["sub\\a", true],
    ["C:\\a", true],
    ["tiny", false],
    ["owner/model", false],
    ["model:8b", false],
    ["a.gguf.txt", false],
  ])("%s: %s", (text, expected) => {
    expect(looksLikePath(text)).toBe(expected);
  });

  test("become absolute, from a folder or from home", () => {
    expect(toAbsolutePath("a.gguf", "/here")).toBe("/here/a.gguf");
    expect(toAbsolutePath("../a.gguf", "/here/sub")).toBe("/here/a.gguf");
    expect(toAbsolutePath("/x/../a.gguf")).toBe("/a.gguf");
    expect(toAbsolutePath("~/a.gguf")).toBe(`${homedir()}/a.gguf`);
    expect(toAbsolutePath("~")).toBe(homedir());
  });
});
