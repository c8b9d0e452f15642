// Vocabulary facts that the binding does not report, read from the metadata of the model's file.
import type { Binding } from "./binding.ts";

export interface Vocabulary {
  /** -1 for none. */
  bos: number;
  bosText: string;
  eosText: string;
  /** Texts of control tokens, longest first. */
  controlTexts: string[];
}

// llama_token_type of llama.h
const unknownType = 2;
const controlType = 3;

export function readVocabulary(binding: Binding, file: string): Vocabulary {
  const facts = binding.LlamaContext.loadModelInfo(file, [
    "tokenizer.ggml.merges",
    "tokenizer.ggml.scores",
  ]);
  const tokens = readList(facts["tokenizer.ggml.tokens"]);
  const types = readList(facts["tokenizer.ggml.token_type"]);
  const idOf = (name: string) => Number(facts[`tokenizer.ggml.${name}_token_id`] ?? -1);
  const isControl = (id: number) => types[id] === controlType || types[id] === unknownType;
  const textOf = (id: number) => String(tokens[id] ?? "");
  const ids = tokens.map((_, id) => id);
  return {
    bos: idOf("bos"),
    bosText: textOf(idOf("bos")),
    eosText: textOf(idOf("eos")),
    controlTexts: ids
      .filter(isControl)
      .map(textOf)
      .filter((text) => text !== "")
      .sort((a, b) => b.length - a.length),
  };
}

/** Parses a list as llama.cpp prints it: JSON with unescaped line breaks inside texts. */
function readList(value: unknown): unknown[] {
  if (typeof value !== "string") return [];
  const json = value.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON wants these escaped
    /[\u0000-\u001f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list : [];
}
