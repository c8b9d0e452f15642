// Choosing files of a repository: defaults, tags, file names, shards, projectors.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Repository } from "../../../source/store/hub/repository.ts";
import { chooseModel } from "../../../source/store/hub/selection/choose-files.ts";
import { bitWidthOf, quantizationOf } from "../../../source/store/hub/selection/quantization.ts";

function repository(...paths: string[]): Repository {
  const files = paths.map((path, at) => ({ path, sizeBytes: 1000 + at }));
  return { repo: "owner/name", commit: "c0ffee", files };
}

function chosen(paths: string[], selector?: string): string[] {
  return chooseModel(repository(...paths), selector).files.map(({ path }) => path);
}

function refusal(paths: string[], selector?: string): unknown {
  try {
    return chosen(paths, selector);
  } catch (error) {
    return error;
  }
}

const usual = [
  "README.md",
  "tiny-BF16.gguf",
  "tiny-F16.gguf",
  "tiny-IQ4_XS.gguf",
  "tiny-Q2_K.gguf",
  "tiny-Q2_K_L.gguf",
  "tiny-Q4_K_M.gguf",
  "tiny-Q8_0.gguf",
  "tiny-UD-Q4_K_XL.gguf",
  "tiny.imatrix.gguf",
  "mtp-tiny-Q4_K_M.gguf",
  "eagle3-tiny-Q4_K_M.gguf",
];

describe("without a tag", () => {
  test.each([undefined, "", "latest", "LATEST"])("(%j) Q4_K_M comes first", (selector) => {
    expect(chosen(usual, selector)).toEqual(["tiny-Q4_K_M.gguf"]);
  });

  test("Q8_0 comes next", () => {
    expect(chosen(["a-F16.gguf", "a-Q8_0.gguf"])).toEqual(["a-Q8_0.gguf"]);
  });

  test("otherwise the first model is chosen", () => {
    const paths = ["a.imatrix.gguf", "a-Q6_K.gguf", "a-F16.gguf"];
    expect(chosen(paths)).toEqual(["a-Q6_K.gguf"]);
  });
});

describe("a quantization", () => {
  test.each([
    ["q8_0", "tiny-Q8_0.gguf"],
    ["F16", "tiny-F16.gguf"],
    ["bf16", "tiny-BF16.gguf"],
    ["Q2_K", "tiny-Q2_K.gguf"],
    ["q2_k_l", "tiny-Q2_K_L.gguf"],
    ["ud-q4_k_xl", "tiny-UD-Q4_K_XL.gguf"],
    ["Q4_K_XL", "tiny-UD-Q4_K_XL.gguf"],
    ["IQ4_XS", "tiny-IQ4_XS.gguf"],
  ])("%s matches in any letter case", (selector, path) => {
    expect(chosen(usual, selector)).toEqual([path]);
  });

  test("may be in the middle of a word if nowhere else", () => {
    expect(chosen(["tinyq4_0.gguf", "tiny-Q8_0.gguf"], "Q4_0")).toEqual(["tinyq4_0.gguf"]);
  });

  test("may be the name of a folder", () => {
    const paths = ["Q4_0/tiny.gguf", "Q8_0/tiny.gguf"];
    expect(chosen(paths, "q8_0")).toEqual(["Q8_0/tiny.gguf"]);
  });

  test("that does not exist is refused, listing the existing ones", () => {
    expect(refusal(usual, "Q5_K_M")).toMatchObject({
      code: "STORE_HUB_QUANTIZATION_NOT_FOUND",
      exitCode: 3,
      message: 'owner/name has no "Q5_K_M".',
      hint: expect.stringMatching(/BF16 \(1 kB\).*Q4_K_M \(1 kB\).*UD-Q4_K_XL/),
    });
  });

  test("is not a pattern", () => {
    expect(refusal(usual, ".*")).toMatchObject({ code: "STORE_HUB_QUANTIZATION_NOT_FOUND" });
  });

  test("is that of the chosen file", () => {
    expect(chooseModel(repository(...usual), "q4_k_xl").quantization).toBe("UD-Q4_K_XL");
    expect(chooseModel(repository("plain.gguf")).quantization).toBe("plain");
  });
});

describe("a file name", () => {
  test("is searched in every folder, in any letter case", () => {
    const paths = ["a/tiny.gguf", "b/Other.gguf"];
    expect(chosen(paths, "b/Other.gguf")).toEqual(["b/Other.gguf"]);
    expect(chosen(paths, "other.GGUF")).toEqual(["b/Other.gguf"]);
  });

  test("with its folder is exactly that file", () => {
    const paths = ["a/tiny-Q4_0.gguf", "b/tiny-Q4_0.gguf"];
    expect(chosen(paths, "b/tiny-Q4_0.gguf")).toEqual(["b/tiny-Q4_0.gguf"]);
  });

  test("may be a quantization followed by .gguf", () => {
    expect(chosen(usual, "q8_0.gguf")).toEqual(["tiny-Q8_0.gguf"]);
  });

  test.each([
    ["mmproj-tiny-F16.gguf", "mmproj"],
    ["mtp-tiny-Q4_K_M.gguf", "mtp"],
  ])("of a model's companion (%s) is refused", (name, word) => {
    expect(refusal([...usual, "mmproj-tiny-F16.gguf"], name)).toMatchObject({
      code: "STORE_HUB_NOT_MODEL_FILE",
      message: expect.stringContaining(word),
    });
  });
});

describe("a repository without a model", () => {
  test.each([[["README.md", "model.safetensors"]], [["mmproj-F16.gguf"]], [[]]])(
    "(%j) says so",
    (paths) => {
      expect(refusal(paths)).toMatchObject({ code: "STORE_HUB_NO_MODEL_FILE" });
      expect(refusal(paths, "Q4_K_M")).toMatchObject({ code: "STORE_HUB_NO_MODEL_FILE" });
      const [projector] = paths.filter((name) => name.startsWith("mmproj"));
      if (projector !== undefined) {
        expect(refusal(paths, projector)).toMatchObject({
          code: "STORE_HUB_NOT_MODEL_FILE",
          hint: "The repository has no model to use it with.",
        });
      }
    },
  );
});

describe("shards", () => {
  const set = (quantization: string, count: number) =>
    Array.from(
      { length: count },
      (_, at) =>
        `${quantization}/big-${quantization}-${String(at + 1).padStart(5, "0")}-of-${String(count).padStart(5, "0")}.gguf`,
    );

  test("are all fetched in order, whatever the order of the list", () => {
    const paths = [...set("Q8_0", 3), ...set("Q4_K_M", 3).reverse()];
    expect(chosen(paths)).toEqual(set("Q4_K_M", 3));
    const { files, quantization, totalBytes } = chooseModel(repository(...paths), "q8_0");
    expect(quantization).toBe("Q8_0");
    expect(files.map(({ shard }) => shard)).toEqual(
      [1, 2, 3].map((index) => ({ index, count: 3 })),
    );
    expect(totalBytes).toBe(1000 + 1001 + 1002);
  });

  test("are all fetched when one of them is named", () => {
    const paths = set("Q8_0", 3);
    expect(chosen(paths, paths[1])).toEqual(paths);
  });

  test("with a missing one are refused, and it is named", () => {
    const paths = set("Q4_K_M", 5).filter((_, at) => at !== 0 && at !== 3);
    for (const selector of [undefined, "Q4_K_M", paths[0]]) {
      expect(refusal(paths, selector)).toMatchObject({
        code: "STORE_HUB_SHARDS_INCOMPLETE",
        message: "owner/name lacks 2 of the 5 parts of Q4_K_M/big-Q4_K_M: 1, 4.",
      });
    }
  });

  test("beyond their number are refused", () => {
    const paths = ["a-Q4_0-00001-of-00001.gguf", "a-Q4_0-00002-of-00001.gguf"];
    expect(refusal(paths)).toMatchObject({ code: "STORE_HUB_SHARDS_INCOMPLETE" });
    expect(refusal(["a-00000-of-00000.gguf"])).toMatchObject({
      code: "STORE_HUB_SHARDS_INCOMPLETE",
    });
  });

  test("of another set do not replace a missing one", () => {
    const paths = ["a-00001-of-00002.gguf", "b-00002-of-00002.gguf", "a-00002-of-00003.gguf"];
    expect(refusal(paths)).toMatchObject({ code: "STORE_HUB_SHARDS_INCOMPLETE" });
  });

  test("of any number are chosen all or not at all", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }).chain((count) =>
          fc.record({
            count: fc.constant(count),
            there: fc.uniqueArray(fc.integer({ min: 1, max: count }), { minLength: 1 }),
          }),
        ),
        ({ count, there }) => {
          const all = set("Q4_K_M", count);
          const paths = there.flatMap((index) => all[index - 1] ?? []);
          const result = refusal(paths);
          if (there.length === count) expect(result).toEqual(all);
          else expect(result).toMatchObject({ code: "STORE_HUB_SHARDS_INCOMPLETE" });
        },
      ),
    );
  });
});

describe("the projector", () => {
  test.each([
    ["of the nearest bit width", "a-Q8_0.gguf", ["mmproj-F16.gguf", "mmproj-Q8_0.gguf"], 1],
    ["of the nearest bit width", "a-BF16.gguf", ["mmproj-F32.gguf", "mmproj-F16.gguf"], 1],
    ["that comes first, of equals", "a-Q4_0.gguf", ["mmproj-BF16.gguf", "mmproj-F16.gguf"], 0],
    [
      "of the deepest shared folder",
      "x/y/a-Q8_0.gguf",
      ["mmproj-Q8_0.gguf", "x/mmproj-F32.gguf"],
      1,
    ],
    ["whatever the case", "a-Q8_0.gguf", ["a-MMPROJ-f16.gguf"], 0],
  ])("%s goes with %s", (_, model, projectors, at) => {
    expect(chosen([model, ...projectors])).toEqual([model, projectors[at]]);
  });

  test("of another folder is not used", () => {
    expect(chosen(["x/a-Q8_0.gguf", "y/mmproj-F16.gguf"])).toEqual(["x/a-Q8_0.gguf"]);
  });

  test("comes after all shards, and counts", () => {
    const model = ["v-Q4_0-00001-of-00002.gguf", "v-Q4_0-00002-of-00002.gguf"];
    const { files, totalBytes } = chooseModel(repository(...model, "mmproj-F16.gguf"));
    expect(files.map(({ role }) => role)).toEqual(["model", "model", "projector"]);
    expect(totalBytes).toBe(3003);
  });
});

describe("the name of a quantization", () => {
  test.each([
    ["Llama-3.2-1B-Instruct-Q4_K_M.gguf", "Q4_K_M", 4],
    ["llama.f16.gguf", "F16", 16],
    ["m-UD-IQ2_XXS.gguf", "UD-IQ2_XXS", 2],
    ["m-TQ1_0.gguf", "TQ1_0", 1],
    ["gpt-oss-20b-MXFP4.gguf", "MXFP4", 4],
    ["m-NVFP4.gguf", "NVFP4", 4],
    ["m-fp16.gguf", "FP16", 16],
    ["BF16/m-BF16-00001-of-00002.gguf", "BF16", 16],
    ["m-Q4_K_M-v2.gguf", "Q4_K_M", 4],
    ["m-Q8_0/model.gguf", "Q8_0", 8],
    ["Qwen3-16.gguf", undefined, 0],
    ["model.gguf", undefined, 0],
  ])("in %s is %s", (path, quantization, bits) => {
    expect(quantizationOf(path)).toBe(quantization);
    expect(bitWidthOf(path)).toBe(bits);
  });
});

test("any repository and selector give files of it or a known error", () => {
  const word = fc.constantFrom("a", "Q4_K_M", "Q8_0", "mmproj", "F16", "-", ".", "/", "imatrix");
  const path = fc
    .array(word, { minLength: 1, maxLength: 6 })
    .map((words) => `${words.join("")}.gguf`);
  fc.assert(
    fc.property(fc.array(path), fc.option(fc.oneof(path, fc.string())), (paths, selector) => {
      const result = refusal(paths, selector ?? undefined);
      if (Array.isArray(result)) expect(paths).toEqual(expect.arrayContaining(result));
      else expect(result).toMatchObject({ name: "ProductError" });
    }),
  );
});
