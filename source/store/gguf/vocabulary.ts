// Reads how a GGUF's vocabulary affects prompts, without loading the model. Rules:
// llama_vocab::impl::load (https://github.com/ggml-org/llama.cpp/blob/master/src/llama-vocab.cpp).
import { type GgufHeader, type GgufScalar, readGguf } from "./read-gguf.ts";

export interface Vocabulary {
  /** Text of the BOS token; empty without one. */
  bosText: string;
  eosText: string;
  /** True if every prompt begins with BOS, whatever its template writes. */
  addsBos: boolean;
  /** Longest first. */
  controlTexts: string[];
}

/** llama.cpp's defaults for files that do not name these tokens, by kind of tokenizer. */
const usualTokens: Record<string, { bos?: number; eos?: number }> = {
  llama: { bos: 1, eos: 2 },
  bert: { bos: 101 },
  gpt2: { bos: 11, eos: 11 },
  t5: { eos: 1 },
  plamo2: { bos: 1, eos: 2 },
};

/** Tokenizers, and pre-tokenizers of GPT-2's kind, that add BOS unless the file says otherwise. */
const beginning = new Set(["llama", "bert"]);
const beginningBytePair = new Set([
  "llama3",
  "llama-v3",
  "llama-bpe",
  "falcon3",
  "falcon-h1",
  "pixtral",
  "midm-2.0",
  "lfm2",
  "jina-v5-nano",
  "tekken",
  "chameleon",
]);

/** llama_token_type: unknown and control. */
const controlTypes: ReadonlySet<GgufScalar> = new Set([2, 3]);

const tokensKey = "tokenizer.ggml.tokens";
const typesKey = "tokenizer.ggml.token_type";

/** @throws ProductError those of `readGguf` */
export async function readVocabulary(file: string): Promise<Vocabulary> {
  return vocabularyOf(await readGguf(file, isOfVocabulary));
}

/** Returns true for arrays of the metadata that a vocabulary needs. */
export function isOfVocabulary(key: string): boolean {
  return key === tokensKey || key === typesKey;
}

/** @param header with the arrays of the vocabulary */
export function vocabularyOf(header: GgufHeader): Vocabulary {
  const tokens = arrayOf(header, tokensKey).map(String);
  const types = arrayOf(header, typesKey);
  const value = (key: string) => header.metadata.get(`tokenizer.ggml.${key}`);
  const kind = String(value("model") ?? "");
  const textOf = (which: "bos" | "eos") => {
    const named = Number(value(`${which}_token_id`) ?? Number.NaN);
    return tokens[named] ?? tokens[usualTokens[kind]?.[which] ?? -1] ?? "";
  };
  const controls = tokens.filter((text, at) => text !== "" && controlTypes.has(types[at] ?? 1));
  return {
    bosText: textOf("bos"),
    eosText: textOf("eos"),
    addsBos: addsBos(value("add_bos_token"), kind, String(value("pre") ?? "")),
    controlTexts: [...new Set(controls)].sort((a, b) => b.length - a.length),
  };
}

function addsBos(said: unknown, kind: string, preTokenizer: string): boolean {
  if (kind === "gemma4" || preTokenizer === "gemma4") return true;
  if (typeof said === "boolean") return said;
  return beginning.has(kind) || (kind === "gpt2" && beginningBytePair.has(preTokenizer));
}

function arrayOf({ metadata }: GgufHeader, key: string): readonly GgufScalar[] {
  const value = metadata.get(key);
  return typeof value === "object" ? (value.values ?? []) : [];
}
