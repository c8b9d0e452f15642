// Tests names as users type them, as the server lists them, and as narrow columns show them.
import { expect, test } from "vitest";
import {
  isSameModel,
  pullReference,
  quantizedName,
  shortName,
  withTag,
} from "../../../../source/ui/screens/models/model-name.ts";

test.each([
  ["tiny", "tiny:latest"],
  ["tiny:v1", "tiny:v1"],
  ["hf.co/owner/name", "hf.co/owner/name:latest"],
  ["registry:5000/owner/name", "registry:5000/owner/name:latest"],
])("%s has the tag in %s", (name, full) => {
  expect(withTag(name)).toBe(full);
});

test("letter case and an omitted tag do not matter", () => {
  expect(isSameModel("Tiny", "tiny:LATEST")).toBe(true);
  expect(isSameModel("tiny", "tiny:v1")).toBe(false);
});

test.each([
  ["owner/name", "hf.co/owner/name"],
  [" owner/name.v2-GGUF:Q4_K_M ", "hf.co/owner/name.v2-GGUF:Q4_K_M"],
  ["owner/name:sub-folder.gguf", "hf.co/owner/name:sub-folder.gguf"],
  ["hf.co/owner/name:Q8_0", "hf.co/owner/name:Q8_0"],
  ["https://huggingface.co/owner/name", "https://huggingface.co/owner/name"],
  ["tiny", "tiny"],
])("%s is pulled as %s", (typed, reference) => {
  expect(pullReference(typed)).toBe(reference);
});

test("a quantization replaces the tag", () => {
  expect(quantizedName("hf.co/owner/name", "Q8_0")).toBe("hf.co/owner/name:Q8_0");
  expect(quantizedName("hf.co/owner/name:Q4_K_M", "Q8_0")).toBe("hf.co/owner/name:Q8_0");
});

test("a name is shortened from the front, and only as far as needed", () => {
  const name = "hf.co/owner/Model-30B-GGUF:Q4_K_M";
  expect(shortName(name, 40, "…")).toBe(name);
  expect(shortName(name, 30, "…")).toBe("owner/Model-30B-GGUF:Q4_K_M");
  expect(shortName(name, 12, "…")).toBe("…GGUF:Q4_K_M");
  expect(shortName("tiny:latest", 20, "…")).toBe("tiny");
});
