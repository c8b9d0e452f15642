// Models of the benchmark: random weights in the shapes of real architectures.
//
// Speed depends on shapes, not values, so random weights are as fast as real ones. They are scaled so
// that attention is sharp and each layer has a large effect: greedy text then hardly repeats itself,
// and neither server profits from guessing repeated text.

import { execFile } from "node:child_process";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { deleteOnExit } from "./clean-up.ts";
import { type MetadataValue, writeGguf } from "./gguf-writer.ts";
import { architectures, type MemoryName, trainedContext } from "./synthetic-architectures.ts";
import {
  createTokenizer,
  type SyntheticTokenizer,
  usualVocabulary,
} from "./synthetic-tokenizer.ts";

export interface SyntheticModel {
  memory: MemoryName;
  /** Tokens. */
  vocabulary: number;
}

export const usualModel: SyntheticModel = { memory: "dense", vocabulary: usualVocabulary };

/** Increased when the files' content changes, so that older cached models are not used. */
const version = 2;

const fileTypeFloat16 = 1;
const quantizeLimitMs = 20 * 60_000;

export function modelFileName({ memory, vocabulary }: SyntheticModel): string {
  return `synthetic-${memory}-${vocabulary}-v${version}-Q4_K_M.gguf`;
}

/** Resolves once `path` contains the quantized model, from this run or an earlier one. */
export async function ensureModel(
  path: string,
  quantizePath: string,
  { memory, vocabulary }: SyntheticModel,
): Promise<void> {
  if (await exists(path)) return;
  await mkdir(dirname(path), { recursive: true });
  const sourcePath = `${path}.${process.pid}.f16`;
  const targetPath = `${path}.${process.pid}.partial`;
  const forget = [deleteOnExit(sourcePath), deleteOnExit(targetPath)];
  const tokenizer = createTokenizer(vocabulary);
  const { metadata, tensors } = architectures[memory];
  await writeGguf(sourcePath, describeModel(memory, tokenizer, metadata), tensors(tokenizer));
  await promisify(execFile)(quantizePath, [sourcePath, targetPath, "Q4_K_M"], {
    timeout: quantizeLimitMs,
    maxBuffer: 64 * 2 ** 20,
  });
  await rename(targetPath, path);
  await rm(sourcePath);
  for (const done of forget) done();
}

function describeModel(
  memory: MemoryName,
  tokenizer: SyntheticTokenizer,
  shape: Record<string, MetadataValue>,
): Map<string, MetadataValue> {
  const uint32 = (value: number): MetadataValue => ({ type: "uint32", value });
  const string = (value: string): MetadataValue => ({ type: "string", value });
  const { name } = architectures[memory];
  const own: Record<string, MetadataValue> = {
    vocab_size: uint32(tokenizer.tokens.length),
    context_length: uint32(trainedContext),
    ...shape,
  };
  return new Map<string, MetadataValue>([
    ["general.architecture", string(name)],
    ["general.name", string(`Synthetic ${memory}`)],
    ["general.file_type", uint32(fileTypeFloat16)],
    ["general.alignment", uint32(32)],
    ...Object.entries(own).map(([key, value]) => [`${name}.${key}`, value] as const),
    ["tokenizer.ggml.model", string("gpt2")],
    ["tokenizer.ggml.pre", string("qwen2")],
    ["tokenizer.ggml.tokens", { type: "string[]", value: tokenizer.tokens }],
    ["tokenizer.ggml.token_type", { type: "int32[]", value: tokenizer.types }],
    ["tokenizer.ggml.merges", { type: "string[]", value: tokenizer.merges }],
    ["tokenizer.ggml.bos_token_id", uint32(tokenizer.beginId)],
    ["tokenizer.ggml.eos_token_id", uint32(tokenizer.endId)],
    ["tokenizer.ggml.eot_token_id", uint32(tokenizer.endId)],
    ["tokenizer.ggml.padding_token_id", uint32(tokenizer.beginId)],
    ["tokenizer.ggml.add_bos_token", { type: "boolean", value: false }],
    ["tokenizer.chat_template", string(tokenizer.chatTemplate)],
  ]);
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
