// The facts read from a file's vocabulary, compared with the engine's once it is loaded.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readVocabulary } from "../../../source/store/gguf/vocabulary.ts";
import {
  array,
  bool,
  buildGguf,
  int32,
  leastMetadata,
  type TypedValue,
  text,
  uint32,
} from "../../support/gguf-builder.ts";
import { loadTiny, tinyFile } from "../../support/load-tiny.ts";
import { temporaryFolder } from "../../support/model-store.ts";

async function vocabularyOf(facts: Record<string, TypedValue>) {
  const file = path.join(temporaryFolder(), "model.gguf");
  const metadata = Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [`tokenizer.ggml.${key}`, value]),
  );
  writeFileSync(file, buildGguf({ metadata: { ...leastMetadata, ...metadata } }));
  return await readVocabulary(file);
}

test("the tiny model's is the engine's", async () => {
  const { runner, facts } = await loadTiny({ slots: 1 });
  await runner.stop();
  const vocabulary = await readVocabulary(tinyFile);
  expect(vocabulary).toMatchObject({
    bosText: facts.bosText,
    eosText: facts.eosText,
    addsBos: true,
  });
  expect(new Set(vocabulary.controlTexts)).toEqual(new Set(facts.controlTexts));
});

const tokens = array(
  8,
  ["<unk>", "<s>", "</s>", "a", "<|end|>"].map((token) => text(token)),
);
const types = array(
  5,
  [2, 3, 3, 1, 3].map((type) => int32(type)),
);

describe("a file that does not name its tokens", () => {
  test("with a SentencePiece vocabulary has the usual ones, and a BOS token", async () => {
    expect(await vocabularyOf({ model: text("llama"), tokens, token_type: types })).toEqual({
      bosText: "<s>",
      eosText: "</s>",
      addsBos: true,
      controlTexts: ["<|end|>", "<unk>", "</s>", "<s>"],
    });
  });

  test("with a byte-pair vocabulary has no BOS token, except for some families", async () => {
    const facts = { model: text("gpt2"), tokens, token_type: types };
    expect(await vocabularyOf({ ...facts, pre: text("qwen2") })).toMatchObject({
      bosText: "",
      eosText: "",
      addsBos: false,
    });
    expect(await vocabularyOf({ ...facts, pre: text("llama-bpe") })).toMatchObject({
      addsBos: true,
    });
  });
});

test("tokens named in the file override the defaults", async () => {
  const facts = {
    model: text("llama"),
    tokens,
    token_type: types,
    eos_token_id: uint32(4),
    add_bos_token: bool(false),
  };
  expect(await vocabularyOf(facts)).toMatchObject({ eosText: "<|end|>", addsBos: false });
});

test("numbers beyond the vocabulary are ignored", async () => {
  const facts = { model: text("gpt2"), tokens, token_type: types, bos_token_id: uint32(99) };
  expect(await vocabularyOf(facts)).toMatchObject({ bosText: "" });
});
