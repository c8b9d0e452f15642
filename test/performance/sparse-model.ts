// Sparse model files of any size: a realistic header, followed by a hole.

import { truncate, writeFile } from "node:fs/promises";
import { array, buildGguf, int32, text, uint32 } from "../support/gguf-builder.ts";
import { createTokenizer } from "./synthetic-tokenizer.ts";

const tensorTypeFloat16 = 1;
const tensorShape = [4096, 4096];
const tensorBytes = 2 * 4096 * 4096;
const stringType = 8;
const int32Type = 5;

/** Writes a model of about a size, with the synthetic model's vocabulary in its header. */
export async function writeSparseModel(path: string, sizeBytes: number): Promise<void> {
  const { tokens, types, merges, beginId, endId } = createTokenizer();
  const count = Math.ceil(sizeBytes / tensorBytes);
  const tensors = Array.from({ length: count }, (_, index) => ({
    name: `blk.${index}.attn_q.weight`,
    shape: tensorShape,
    type: tensorTypeFloat16,
    offset: index * tensorBytes,
  }));
  const metadata = {
    "general.architecture": text("llama"),
    "general.name": text("Sparse"),
    "general.file_type": uint32(tensorTypeFloat16),
    "llama.context_length": uint32(4096),
    "llama.embedding_length": uint32(4096),
    "llama.block_count": uint32(count),
    "tokenizer.ggml.model": text("gpt2"),
    "tokenizer.ggml.pre": text("qwen2"),
    "tokenizer.ggml.tokens": array(stringType, tokens.map(text)),
    "tokenizer.ggml.token_type": array(int32Type, types.map(int32)),
    "tokenizer.ggml.merges": array(stringType, merges.map(text)),
    "tokenizer.ggml.bos_token_id": uint32(beginId),
    "tokenizer.ggml.eos_token_id": uint32(endId),
  };
  const header = buildGguf({ metadata, tensors });
  await writeFile(path, header);
  await truncate(path, header.length + count * tensorBytes);
}
