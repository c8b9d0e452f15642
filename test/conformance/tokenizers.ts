// Tokenizer part of the conformance run: the texts that come with llama.cpp's vocabularies, through the
// runners' tokenizer.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  type Addon,
  type AddonModel,
  type AddonModelOptions,
  findPrebuiltBinary,
  openAddon,
} from "../../source/engine/text/addon.ts";
import { knownReason } from "./known-differences.ts";
import type { ConformanceRow, Part } from "./part.ts";

export const tokenizersPart: Part = {
  name: "tokenizers",
  needs: ["git"],
  async run(checkout: string): Promise<ConformanceRow[]> {
    const folder = path.join(checkout, "models");
    const files = readdirSync(folder).filter(
      (file) => file.endsWith(".gguf") && existsSync(path.join(folder, `${file}.inp`)),
    );
    const binary = findPrebuiltBinary("cpu");
    if (binary === undefined) throw new Error("there is no build of llama.cpp for this machine");
    const addon = await openAddon(binary, () => {});
    const rows: ConformanceRow[] = [];
    for (const file of files) rows.push(await rowOf(addon, path.join(folder, file)));
    return rows;
  },
};

async function rowOf(addon: Addon, file: string): Promise<ConformanceRow> {
  const family = path.basename(file, ".gguf").replace("ggml-vocab-", "");
  const texts = readFileSync(`${file}.inp`, "utf8").split("\n__ggml_vocab_test__\n");
  const vectors = readFileSync(`${file}.out`, "utf8").split("\n");
  const model = await loadVocabulary(addon, file);
  // The last text has no separator after it.
  const cases = texts.slice(0, vectors.length - 1).map((text, index) => ({
    text,
    expected: (vectors[index]?.match(/\d+/g) ?? []).map(Number),
    actual: [...model.tokenize(text, false)],
  }));
  await model.dispose();
  const differences = cases
    .filter(({ expected, actual }) => expected.join() !== actual.join())
    .map((each) => {
      const reason = knownReason("tokenizers", family, each.text);
      return { ...each, ...(reason !== undefined && { known: reason }) };
    });
  return { family, right: cases.length - differences.length, of: cases.length, differences };
}

/** Loads only the vocabulary, as the files have no weights. */
async function loadVocabulary(addon: Addon, file: string): Promise<AddonModel> {
  const options: AddonModelOptions & { vocabOnly: boolean } = {
    addonExports: addon,
    gpuLayers: 0,
    useMmap: true,
    vocabOnly: true,
  };
  const model = new addon.AddonModel(file, options);
  if (!(await model.init())) throw new Error(`${file} cannot be loaded`);
  return model;
}
