// Makes the model that the benchmark runs: llama architecture, half a billion random weights.
//
// Speed depends on shapes and not on values, so random weights measure as real ones do. They are
// scaled so that attention is sharp and each layer changes much: greedy text then hardly repeats
// itself, and neither server profits from guessing repeated text.

import { execFile } from "node:child_process";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { deleteOnExit } from "./clean-up.ts";
import {
  type MetadataValue,
  type TensorDescription,
  tensorType,
  writeGguf,
} from "./gguf-writer.ts";
import { createRandom, drawNormal } from "./random.ts";
import { createTokenizer, type SyntheticTokenizer } from "./synthetic-tokenizer.ts";

const shape = {
  layers: 24,
  hidden: 1024,
  feedForward: 4096,
  heads: 16,
  keyValueHeads: 4,
  context: 4096,
} as const;

/** Numbers of one position's embedding. */
export const modelWidth = shape.hidden;

/** Raised when anything in the file changes, so that an older cached model is not taken. */
export const modelFileName = "synthetic-0.5b-v1-Q4_K_M.gguf";

const fileTypeFloat16 = 1;
const pieceRows = 1024;
const quantizeLimitMs = 20 * 60_000;

/** Returns once `path` holds the quantised model, made now or by an earlier run. */
export async function ensureModel(path: string, quantizePath: string): Promise<void> {
  if (await exists(path)) return;
  await mkdir(dirname(path), { recursive: true });
  const sourcePath = `${path}.${process.pid}.f16`;
  const targetPath = `${path}.${process.pid}.partial`;
  const forget = [deleteOnExit(sourcePath), deleteOnExit(targetPath)];
  const tokenizer = createTokenizer();
  await writeGguf(sourcePath, describeModel(tokenizer), describeTensors(tokenizer));
  await promisify(execFile)(quantizePath, [sourcePath, targetPath, "Q4_K_M"], {
    timeout: quantizeLimitMs,
    maxBuffer: 64 * 2 ** 20,
  });
  await rename(targetPath, path);
  await rm(sourcePath);
  for (const done of forget) done();
}

function describeModel(tokenizer: SyntheticTokenizer): Map<string, MetadataValue> {
  const uint32 = (value: number): MetadataValue => ({ type: "uint32", value });
  const string = (value: string): MetadataValue => ({ type: "string", value });
  return new Map<string, MetadataValue>([
    ["general.architecture", string("llama")],
    ["general.name", string("Synthetic 0.5B")],
    ["general.file_type", uint32(fileTypeFloat16)],
    ["general.alignment", uint32(32)],
    ["llama.vocab_size", uint32(tokenizer.tokens.length)],
    ["llama.context_length", uint32(shape.context)],
    ["llama.embedding_length", uint32(shape.hidden)],
    ["llama.block_count", uint32(shape.layers)],
    ["llama.feed_forward_length", uint32(shape.feedForward)],
    ["llama.attention.head_count", uint32(shape.heads)],
    ["llama.attention.head_count_kv", uint32(shape.keyValueHeads)],
    ["llama.attention.layer_norm_rms_epsilon", { type: "float32", value: 1e-5 }],
    ["llama.rope.dimension_count", uint32(shape.hidden / shape.heads)],
    ["llama.rope.freq_base", { type: "float32", value: 10_000 }],
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

function describeTensors(tokenizer: SyntheticTokenizer): TensorDescription[] {
  const { hidden, feedForward, layers } = shape;
  const keyValueSize = (hidden / shape.heads) * shape.keyValueHeads;
  const vocabulary = tokenizer.tokens.length;
  const tensors = [
    matrix("token_embd.weight", hidden, vocabulary, { scale: Math.sqrt(hidden) }),
    norm("output_norm.weight"),
    // An unspoken token gets zeros and so a logit of zero, below the best of the others: replies
    // are plain ASCII words, and no server has to hold back half a character.
    matrix("output.weight", hidden, vocabulary, { isUsedRow: tokenizer.isSpoken }),
  ];
  for (let layer = 0; layer < layers; layer++) {
    const name = (part: string): string => `blk.${layer}.${part}.weight`;
    tensors.push(
      norm(name("attn_norm")),
      matrix(name("attn_q"), hidden, hidden, { scale: 2 }),
      matrix(name("attn_k"), hidden, keyValueSize, { scale: 2 }),
      matrix(name("attn_v"), hidden, keyValueSize),
      matrix(name("attn_output"), hidden, hidden),
      norm(name("ffn_norm")),
      matrix(name("ffn_gate"), hidden, feedForward),
      matrix(name("ffn_up"), hidden, feedForward),
      matrix(name("ffn_down"), feedForward, hidden),
    );
  }
  return tensors;
}

function norm(name: string): TensorDescription {
  const ones = new Float32Array(shape.hidden).fill(1);
  return {
    name,
    dimensions: [shape.hidden],
    type: tensorType.float32,
    pieces: () => [new Uint8Array(ones.buffer)],
  };
}

interface MatrixOptions {
  /** Multiplies the weights; at 1 the output is about as large as the input. */
  scale?: number;
  /** Rows for which this is false are all zero. */
  isUsedRow?: (row: number) => boolean;
}

export function matrix(
  name: string,
  inputs: number,
  outputs: number,
  options: MatrixOptions = {},
): TensorDescription {
  const { scale = 1, isUsedRow = () => true } = options;
  return {
    name,
    dimensions: [inputs, outputs],
    type: tensorType.float16,
    *pieces() {
      const random = createRandom(seedOf(name));
      const table = createWeightTable(random, scale / Math.sqrt(inputs));
      for (let start = 0; start < outputs; start += pieceRows) {
        const rows = Math.min(pieceRows, outputs - start);
        const weights = new Uint16Array(rows * inputs);
        for (let row = 0; row < rows; row++) {
          if (isUsedRow(start + row)) fillRow(weights, row * inputs, inputs, table, random);
        }
        yield new Uint8Array(weights.buffer);
      }
    },
  };
}

/** 65,536 normally distributed weights to draw from: half a billion logarithms take too long. */
function createWeightTable(random: () => number, deviation: number): Uint16Array {
  return Uint16Array.from({ length: 65_536 }, () => toFloat16(drawNormal(random) * deviation));
}

function fillRow(
  weights: Uint16Array,
  start: number,
  length: number,
  table: Uint16Array,
  random: () => number,
): void {
  for (let index = start; index < start + length; index += 2) {
    const draw = random();
    weights[index] = table[draw & 0xffff] ?? 0;
    weights[index + 1] = table[draw >>> 16] ?? 0;
  }
}

/** Bits of the nearest half-precision number toward zero; ample for random weights. */
function toFloat16(value: number): number {
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, value);
  const single = bits.getUint32(0);
  const sign = (single >>> 16) & 0x8000;
  const exponent = ((single >>> 23) & 0xff) - 127 + 15;
  if (exponent <= 0) return sign;
  if (exponent >= 31) throw new Error(`${value} is too large for half precision`);
  return sign | (exponent << 10) | ((single >>> 13) & 0x3ff);
}

function seedOf(name: string): number {
  return [...Buffer.from(name)].reduce((seed, byte) => Math.imul(seed, 31) + byte, 7);
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
