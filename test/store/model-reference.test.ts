// What a text that names a model means: a name, a file, or neither.
import { homedir } from "node:os";
import { describe, expect, test } from "vitest";
import { parseModelReference } from "../../source/store/model-reference.ts";

describe("names", () => {
  test.each([
    ["tiny", { name: "tiny", tag: "latest", display: "tiny:latest" }],
    ["llama3:8b", { name: "llama3", tag: "8b", display: "llama3:8b" }],
    ["owner/model", { name: "owner/model", tag: "latest", display: "owner/model:latest" }],
    [
      "hf.co/some.owner/Model-1.5_GGUF:Q4_K_M",
      {
        name: "hf.co/some.owner/Model-1.5_GGUF",
        tag: "Q4_K_M",
        display: "hf.co/some.owner/Model-1.5_GGUF:Q4_K_M",
      },
    ],
    ["_private", { name: "_private", tag: "latest", display: "_private:latest" }],
  ])("%s", (text, expected) => {
    expect(parseModelReference(text)).toEqual({ kind: "name", ...expected });
  });

  test.each([
    "",
    " ",
    "a b",
    "x:",
    ":y",
    "a:b:c",
    "-a",
    "a/",
    "a//b",
    "a/-b",
    "tiny\n",
    "größe",
    "x".repeat(81),
    "a:*",
  ])("%j is none", (text) => {
    expect(() => parseModelReference(text)).toThrow(
      expect.objectContaining({
        code: "STORE_NAME_INVALID",
        message: expect.stringContaining("invalid model name"),
        param: "model",
      }),
    );
  });
});

describe("files", () => {
  test.each([
    ["/models/a.gguf", "/models/a.gguf"],
    ["/models/a", "/models/a"],
    ["./a", "/here/a"],
    ["../a.gguf", "/a.gguf"],
    ["a.gguf", "/here/a.gguf"],
    ["sub/a.GGUF", "/here/sub/a.GGUF"],
    ["~/a.gguf", `${homedir()}/a.gguf`],
    ["/models/a b.gguf", "/models/a b.gguf"],
  ])("%s", (text, expected) => {
    expect(parseModelReference(text, "/here")).toEqual({ kind: "file", path: expected });
  });
});
