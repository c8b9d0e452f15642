// A small cross-encoder with random weights, as a GGUF file and as numbers for another program.
import { array, buildGguf, float32, int32, text, uint32 } from "./gguf-builder.ts";

/** Words that it knows; a text with others has unknown tokens. */
const words = [
  "rome",
  "paris",
  "is",
  "the",
  "capital",
  "of",
  "italy",
  "france",
  "a",
  "city",
  "cat",
];
const vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ...words.map((word) => `▁${word}`)];
const size = { layers: 2, width: 16, heads: 2, inner: 32, window: 32 };

export interface CrossEncoder {
  gguf: Buffer;
  /** Weights by their names in the file, row by row, and the sizes. */
  numbers: { size: typeof size; weights: Record<string, number[]> };
}

/** Returns the tokens of a query and a document as BERT pairs them. */
export function pairTokens(query: string, document: string): number[] {
  const tokensOf = (sentence: string) =>
    sentence.split(" ").map((word) => Math.max(1, vocabulary.indexOf(`▁${word}`)));
  return [2, ...tokensOf(query), 3, ...tokensOf(document), 3];
}

export function crossEncoder(): CrossEncoder {
  const { width, inner, layers, window } = size;
  const random = randomNumbers(7);
  const shapes: Array<[name: string, shape: number[], center: number]> = [
    ["token_embd.weight", [width, vocabulary.length], 0],
    ["token_types.weight", [width, 2], 0],
    ["position_embd.weight", [width, window], 0],
    ["token_embd_norm.weight", [width], 1],
    ["token_embd_norm.bias", [width], 0],
    ...Array.from({ length: layers }, (_, layer) =>
      layerShapes(`blk.${layer}`, width, inner),
    ).flat(),
    ["cls.weight", [width, width], 0],
    ["cls.bias", [width], 0],
    ["cls.output.weight", [width, 1], 0],
    ["cls.output.bias", [1], 0],
  ];
  const weights = Object.fromEntries(
    shapes.map(([name, shape, center]) => [
      name,
      Array.from({ length: shape.reduce((a, b) => a * b) }, () => Math.fround(center + random())),
    ]),
  );
  return { gguf: fileOf(shapes, weights), numbers: { size, weights } };
}

function layerShapes(block: string, width: number, inner: number) {
  const square = (name: string): Array<[string, number[], number]> => [
    [`${block}.${name}.weight`, [width, width], 0],
    [`${block}.${name}.bias`, [width], 0],
  ];
  const norm = (name: string): Array<[string, number[], number]> => [
    [`${block}.${name}.weight`, [width], 1],
    [`${block}.${name}.bias`, [width], 0],
  ];
  const ffn: Array<[string, number[], number]> = [
    [`${block}.ffn_up.weight`, [width, inner], 0],
    [`${block}.ffn_up.bias`, [inner], 0],
    [`${block}.ffn_down.weight`, [inner, width], 0],
    [`${block}.ffn_down.bias`, [width], 0],
  ];
  return [
    ...["attn_q", "attn_k", "attn_v", "attn_output"].flatMap(square),
    ...norm("attn_output_norm"),
    ...ffn,
    ...norm("layer_output_norm"),
  ];
}

function fileOf(
  shapes: ReadonlyArray<[name: string, shape: number[], center: number]>,
  weights: Readonly<Record<string, number[]>>,
): Buffer {
  let offset = 0;
  const tensors = shapes.map(([name, shape]) => {
    const tensor = { name, shape, type: 0, offset };
    offset += Math.ceil((weights[name]?.length ?? 0) / 8) * 32;
    return tensor;
  });
  const file = buildGguf({
    metadata: {
      "general.architecture": text("bert"),
      "bert.block_count": uint32(size.layers),
      "bert.context_length": uint32(size.window),
      "bert.embedding_length": uint32(size.width),
      "bert.feed_forward_length": uint32(size.inner),
      "bert.attention.head_count": uint32(size.heads),
      "bert.attention.layer_norm_epsilon": float32(1e-12),
      "bert.attention.causal": { type: 7, bytes: Buffer.from([0]) },
      "bert.pooling_type": uint32(4),
      "tokenizer.ggml.model": text("bert"),
      "tokenizer.ggml.tokens": array(8, vocabulary.map(text)),
      "tokenizer.ggml.token_type": array(
        5,
        vocabulary.map((_, token) => int32(token < 4 ? 3 : 1)),
      ),
      "tokenizer.ggml.token_type_count": uint32(2),
      "tokenizer.ggml.padding_token_id": uint32(0),
      "tokenizer.ggml.unknown_token_id": uint32(1),
      "tokenizer.ggml.bos_token_id": uint32(2),
      "tokenizer.ggml.cls_token_id": uint32(2),
      "tokenizer.ggml.seperator_token_id": uint32(3),
    },
    tensors,
    dataBytes: offset,
  });
  const start = file.length - offset;
  for (const { name, offset: at } of tensors) {
    for (const [index, value] of (weights[name] ?? []).entries()) {
      file.writeFloatLE(value, start + at + index * 4);
    }
  }
  return file;
}

/** Returns the same numbers from -0.5 to 0.5 on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}
