// Shapes of the benchmark's models, one for each kind of attention memory.

import type { MetadataValue, TensorDescription } from "./gguf-writer.ts";
import { constant, matrix } from "./synthetic-tensors.ts";
import type { SyntheticTokenizer } from "./synthetic-tokenizer.ts";

/** Memory that can be truncated anywhere; layers with a sliding window; recurrent states. */
export type MemoryName = "dense" | "sliding" | "hybrid";

export interface Architecture {
  /** Name in llama.cpp. */
  name: string;
  metadata: Record<string, MetadataValue>;
  tensors: (tokenizer: SyntheticTokenizer) => TensorDescription[];
}

export const trainedContext = 8192;

const uint32 = (value: number): MetadataValue => ({ type: "uint32", value });
const float32 = (value: number): MetadataValue => ({ type: "float32", value });

interface Shape {
  layers: number;
  hidden: number;
  feedForward: number;
  heads: number;
  keyValueHeads: number;
  headLength: number;
}

/** Half a billion weights with a vocabulary of 65,536 tokens. */
const denseShape: Shape = {
  layers: 24,
  hidden: 1024,
  feedForward: 4096,
  heads: 16,
  keyValueHeads: 4,
  headLength: 64,
};
/** Gemma 3 270M. */
const slidingShape: Shape = {
  layers: 18,
  hidden: 640,
  feedForward: 2048,
  heads: 4,
  keyValueHeads: 1,
  headLength: 256,
};
/** LFM2 350M. */
const hybridShape: Shape = {
  layers: 16,
  hidden: 1024,
  feedForward: 4608,
  heads: 16,
  keyValueHeads: 8,
  headLength: 64,
};
const hybridAttentionLayers = [2, 5, 8, 10, 12, 14];
const convolutionLength = 3;

/** Numbers of one position's embedding in the dense model. */
export const denseWidth = denseShape.hidden;

export const architectures: Record<MemoryName, Architecture> = {
  dense: {
    name: "llama",
    metadata: describe(denseShape),
    tensors: (tokenizer) => {
      const { hidden } = denseShape;
      return [
        matrix("token_embd.weight", hidden, tokenizer.tokens.length, { scale: Math.sqrt(hidden) }),
        constant("output_norm.weight", [hidden], 1),
        spoken("output.weight", hidden, tokenizer),
        ...eachLayer(denseShape, (name) => [
          constant(name("attn_norm"), [hidden], 1),
          ...attention(name, denseShape, 2),
          ...feedForward(name, denseShape),
        ]),
      ];
    },
  },
  sliding: {
    name: "gemma3",
    metadata: {
      ...describe(slidingShape),
      "attention.sliding_window": uint32(512),
      "attention.sliding_window_pattern": uint32(6),
    },
    tensors: (tokenizer) => {
      const { hidden } = slidingShape;
      return [
        spoken("token_embd.weight", hidden, tokenizer),
        constant("output_norm.weight", [hidden], 1),
        ...eachLayer(slidingShape, (name) => [
          constant(name("attn_norm"), [hidden], 1),
          ...attention(name, slidingShape),
          ...headNorms(name, slidingShape),
          // Layers outweigh the embedding, which is also the output matrix: otherwise the model would
          // repeat its last token.
          constant(name("post_attention_norm"), [hidden], 2),
          ...feedForward(name, slidingShape),
          constant(name("post_ffw_norm"), [hidden], 2),
        ]),
      ];
    },
  },
  hybrid: {
    name: "lfm2",
    metadata: {
      ...describe(hybridShape),
      "attention.head_count_kv": {
        type: "int32[]",
        value: Array.from({ length: hybridShape.layers }, (_, layer) =>
          hybridAttentionLayers.includes(layer) ? hybridShape.keyValueHeads : 0,
        ),
      },
      "shortconv.l_cache": uint32(convolutionLength),
    },
    tensors: (tokenizer) => {
      const { hidden } = hybridShape;
      return [
        spoken("token_embd.weight", hidden, tokenizer),
        constant("token_embd_norm.weight", [hidden], 1),
        ...eachLayer(hybridShape, (name, layer) => [
          constant(name("attn_norm"), [hidden], 1),
          ...(hybridAttentionLayers.includes(layer)
            ? [...attention(name, hybridShape), ...headNorms(name, hybridShape)]
            : convolution(name, hybridShape)),
          ...feedForward(name, hybridShape),
        ]),
      ];
    },
  },
};

function describe(shape: Shape): Record<string, MetadataValue> {
  return {
    embedding_length: uint32(shape.hidden),
    block_count: uint32(shape.layers),
    feed_forward_length: uint32(shape.feedForward),
    "attention.head_count": uint32(shape.heads),
    "attention.head_count_kv": uint32(shape.keyValueHeads),
    "attention.key_length": uint32(shape.headLength),
    "attention.value_length": uint32(shape.headLength),
    "attention.layer_norm_rms_epsilon": float32(1e-5),
    "rope.dimension_count": uint32(shape.headLength),
    "rope.freq_base": float32(10_000),
  };
}

type Namer = (part: string) => string;

function eachLayer(
  { layers }: Shape,
  make: (name: Namer, layer: number) => TensorDescription[],
): TensorDescription[] {
  return Array.from({ length: layers }, (_, layer) =>
    make((part) => `blk.${layer}.${part}.weight`, layer),
  ).flat();
}

/**
 * Tokens that the model must not produce get zeros, and so a logit of zero, below the best of the others:
 * replies are plain ASCII words, and no server has to hold back part of a character.
 */
function spoken(name: string, hidden: number, tokenizer: SyntheticTokenizer): TensorDescription {
  return matrix(name, hidden, tokenizer.tokens.length, { isUsedRow: tokenizer.isSpoken });
}

/** @param scale of queries and keys: large values make attention sharp */
function attention(name: Namer, shape: Shape, scale = 1): TensorDescription[] {
  const { hidden, heads, keyValueHeads, headLength } = shape;
  return [
    matrix(name("attn_q"), hidden, heads * headLength, { scale }),
    matrix(name("attn_k"), hidden, keyValueHeads * headLength, { scale }),
    matrix(name("attn_v"), hidden, keyValueHeads * headLength),
    matrix(name("attn_output"), heads * headLength, hidden),
  ];
}

function headNorms(name: Namer, { headLength }: Shape): TensorDescription[] {
  return [
    constant(name("attn_q_norm"), [headLength], 2),
    constant(name("attn_k_norm"), [headLength], 2),
  ];
}

function convolution(name: Namer, { hidden }: Shape): TensorDescription[] {
  return [
    constant(name("shortconv.conv"), [convolutionLength, hidden], 1 / Math.sqrt(convolutionLength)),
    matrix(name("shortconv.in_proj"), hidden, 3 * hidden),
    matrix(name("shortconv.out_proj"), hidden, hidden),
  ];
}

function feedForward(name: Namer, shape: Shape): TensorDescription[] {
  return [
    constant(name("ffn_norm"), [shape.hidden], 1),
    matrix(name("ffn_gate"), shape.hidden, shape.feedForward),
    matrix(name("ffn_up"), shape.hidden, shape.feedForward),
    matrix(name("ffn_down"), shape.feedForward, shape.hidden),
  ];
}
