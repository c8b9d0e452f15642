// The meaning of a text that names a model: a name, a file, or neither.
import { homedir } from "node:os";
import { describe, expect, test } from "vitest";
import {
  isSameName,
  type ModelName,
  parseModelReference,
  type ReferenceOptions,
} from "../../source/store/model-reference.ts";

function nameOf(text: string, options?: ReferenceOptions): ModelName {
  const reference = parseModelReference(text, options);
  if (reference.kind !== "name") throw new Error(`${text} is a path`);
  return reference.name;
}

describe("names", () => {
  test.each([
    ["tiny", "registry.ollama.ai", "library", "tiny", "latest", "tiny:latest"],
    ["llama3:8b", "registry.ollama.ai", "library", "llama3", "8b", "llama3:8b"],
    ["Llama3:8B", "registry.ollama.ai", "library", "Llama3", "8B", "Llama3:8B"],
    ["owner/model", "registry.ollama.ai", "owner", "model", "latest", "owner/model:latest"],
    ["_private", "registry.ollama.ai", "library", "_private", "latest", "_private:latest"],
    ["a.b/c/d:e", "a.b", "c", "d", "e", "a.b/c/d:e"],
    ["localhost:5000/c/d:e", "localhost:5000", "c", "d", "e", "localhost:5000/c/d:e"],
    ["localhost:5000/c/d", "localhost:5000", "c", "d", "latest", "localhost:5000/c/d:latest"],
    ["registry.ollama.ai/library/m", "registry.ollama.ai", "library", "m", "latest", "m:latest"],
    ["registry.ollama.ai/me/m:x", "registry.ollama.ai", "me", "m", "x", "me/m:x"],
    ["https://registry.ollama.ai/me/m", "registry.ollama.ai", "me", "m", "latest", "me/m:latest"],
    [
      "http://localhost:5000/c/d",
      "localhost:5000",
      "c",
      "d",
      "latest",
      "localhost:5000/c/d:latest",
    ],
    ["tiny:local", "registry.ollama.ai", "library", "tiny", "latest", "tiny:latest"],
    ["llama3:8b:local", "registry.ollama.ai", "library", "llama3", "8b", "llama3:8b"],
    ["hf:8b", "registry.ollama.ai", "library", "hf", "8b", "hf:8b"],
    ["cloudy", "registry.ollama.ai", "library", "cloudy", "latest", "cloudy:latest"],
  ])("%s", (text, host, namespace, model, tag, display) => {
    expect(nameOf(text)).toEqual({ host, namespace, model, tag, display, isHub: false });
  });

  test.each([
    ["tiny", "TINY:Latest", true],
    ["tiny", "tiny:8b", false],
    ["tiny", "library/tiny", true],
    ["a/tiny", "b/tiny", false],
    ["hf.co/A/B:q4_k_m", "huggingface.co/a/b:Q4_K_M", true],
  ])("%s and %s are the same model: %s", (one, other, expected) => {
    expect(isSameName(nameOf(one), nameOf(other))).toBe(expected);
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
    "a.b/c",
    "a/b/c/d",
    "tiny\n",
    "größe",
    "x".repeat(81),
    `${"x".repeat(81)}/y`,
    "a:*",
    "a/..",
    "a:..",
    "ftp://x/y/z",
    ":local",
  ])("%j is invalid", (text) => {
    expect(() => parseModelReference(text)).toThrow(
      expect.objectContaining({
        code: "STORE_NAME_INVALID",
        status: 400,
        message: expect.stringContaining("invalid model name"),
        param: "model",
      }),
    );
  });

  test.each(["gpt-oss:120b-cloud", "glm-4.6:cloud", "m:CLOUD", "m:cloud:local"])(
    "%s names a cloud model, which is refused",
    (text) => {
      expect(() => parseModelReference(text)).toThrow(
        expect.objectContaining({
          code: "STORE_CLOUD_MODEL",
          status: 400,
          message: expect.stringMatching(/invalid model name.*cloud.*your own machine/),
        }),
      );
    },
  );
});

test.each(["https://example.com/a/x.gguf", "http://a.b/c/d.GGUF?raw=1", "file:///tmp/x.gguf"])(
  "%s is an address, not a name or path",
  (text) => {
    expect(() => parseModelReference(text)).toThrow(
      expect.objectContaining({
        code: "STORE_NAME_INVALID",
        hint: expect.stringContaining("Download the file"),
      }),
    );
  },
);

describe("names on the hub", () => {
  test.each([
    ["hf.co/owner/Model-1.5_GGUF", "hf.co/owner/Model-1.5_GGUF:latest"],
    ["hf.co/some.owner/m:Q4_K_M", "hf.co/some.owner/m:Q4_K_M"],
    ["huggingface.co/owner/m:IQ2_XXS", "hf.co/owner/m:IQ2_XXS"],
    ["HuggingFace.co/owner/m", "hf.co/owner/m:latest"],
    ["hf:owner/m:Q8_0", "hf.co/owner/m:Q8_0"],
    ["hf://owner/m", "hf.co/owner/m:latest"],
    ["https://huggingface.co/owner/m", "hf.co/owner/m:latest"],
    ["hf.co/owner/m:model-Q4_K_M.gguf", "hf.co/owner/m:model-Q4_K_M.gguf"],
    ["hf.co/owner/m:Model (new) v1+2.gguf", undefined],
    ["hf.co/owner/m:Model(new)v1+2.gguf", "hf.co/owner/m:Model(new)v1+2.gguf"],
    [`hf.co/owner/${"r".repeat(96)}`, `hf.co/owner/${"r".repeat(96)}:latest`],
    ["https://huggingface.co/owner/m/", "hf.co/owner/m:latest"],
    ["https://huggingface.co/owner/m/tree/main", "hf.co/owner/m:latest"],
    ["https://huggingface.co/owner/m?library=llama.cpp#usage", "hf.co/owner/m:latest"],
    ["https://huggingface.co/owner/m/blob/main/a-Q8_0.gguf", "hf.co/owner/m:a-Q8_0.gguf"],
    ["https://hf.co/owner/m/resolve/main/d/a%2B.gguf?download=true", "hf.co/owner/m:a+.gguf"],
    ["huggingface.co/owner/m?show_file_info=d%2Fa-Q8_0.gguf", "hf.co/owner/m:a-Q8_0.gguf"],
    ["https://huggingface.co/owner/m/blob/v2/a-Q8_0.gguf", undefined],
    ["https://huggingface.co/owner/m/tree/main/folder", undefined],
    ["https://huggingface.co/owner/m/blob/main/%E0%A4%A.gguf", undefined],
    ["https://huggingface.co/owner/m/blob/main/..", undefined],
    ["https://huggingface.co/datasets/owner/m", undefined],
    ["hf.co/owner/m:folder/a.gguf", undefined],
    ["hf.co/owner", undefined],
    ["hf.co/owner/m/file.gguf", undefined],
    ["hf.co/owner/../m", undefined],
    [`hf.co/owner/${"r".repeat(129)}`, undefined],
  ])("%s", (text, display) => {
    if (display === undefined) {
      expect(() => parseModelReference(text)).toThrow(
        expect.objectContaining({ code: "STORE_NAME_INVALID" }),
      );
    } else {
      expect(nameOf(text)).toMatchObject({ display, host: "hf.co", isHub: true });
    }
  });

  test("accept other prefixes, and show the first host", () => {
    const options = { hubPrefixes: ["our:", "hub.example", "hf.co"] };
    expect(nameOf("our:a/b:Q4", options)).toMatchObject({
      display: "hub.example/a/b:Q4",
      isHub: true,
    });
    expect(nameOf("hf.co/a/b", options).display).toBe("hub.example/a/b:latest");
    expect(nameOf("huggingface.co/a/b", options)).toMatchObject({ isHub: false });
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
    expect(parseModelReference(text, { baseFolder: "/here" })).toEqual({
      kind: "file",
      path: expected,
    });
  });
});
