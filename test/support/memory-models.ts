// Small random models that differ in what they can forget: any part of what they have read, what lies
// within a sliding window alone, or, with recurrent states beside attention or without it, nothing. A
// mixture of experts forgets as a dense model does.
// They speak tiny's tokens.
import { readGguf } from "../../source/store/gguf/read-gguf.ts";
import {
  type MetadataValue,
  type TensorDescription,
  tensorType,
  writeGguf,
} from "../performance/gguf-writer.ts";
import { createRandom, drawNormal } from "../performance/random.ts";
import { tinyFile } from "./load-tiny.ts";

export type MemoryModel = "dense" | "mixture" | "sliding" | "hybrid" | "recurrent";

export const hidden = 64;
export const headLength = 32;
const layers = 4;
export const feedForward = 128;
const experts = 4;
export const vocabulary = 786;
/** Size of the sliding window, in tokens. */
const windowTokens = 32;

export const uint32 = (value: number): MetadataValue => ({ type: "uint32", value });
const float32 = (value: number): MetadataValue => ({ type: "float32", value });

/**
 * @param idleLayers layers of a dense model that change nothing: it says the same, and takes more time
 */
export async function writeMemoryModel(
  file: string,
  kind: MemoryModel,
  idleLayers = 0,
): Promise<void> {
  const { architecture, metadata, tensors } = models[kind];
  await writeModel(file, architecture, { block_count: uint32(layers + idleLayers), ...metadata }, [
    drawn("token_embd.weight", [hidden, vocabulary], 1),
    drawn("output.weight", [hidden, vocabulary], 1.5),
    ...tensors(),
    ...Array.from({ length: idleLayers }, (_, at) => gemmaLayer(layers + at).map(zeroed)).flat(),
  ]);
}

/** @param metadata of the architecture, in addition to what all models have */
export async function writeModel(
  file: string,
  architecture: string,
  metadata: Record<string, MetadataValue>,
  tensors: TensorDescription[],
): Promise<void> {
  const facts = new Map<string, MetadataValue>([
    ["general.architecture", { type: "string", value: architecture }],
    ...(await tokenizer()),
  ]);
  const common = {
    context_length: uint32(4096),
    embedding_length: uint32(hidden),
    vocab_size: uint32(vocabulary),
    "attention.layer_norm_rms_epsilon": float32(1e-5),
    ...metadata,
  };
  for (const [key, value] of Object.entries(common)) facts.set(`${architecture}.${key}`, value);
  await writeGguf(file, facts, tensors);
}

export const attention = (count: number) => ({
  feed_forward_length: uint32(feedForward),
  "attention.head_count": uint32(count),
  "attention.key_length": uint32(headLength),
  "attention.value_length": uint32(headLength),
  "rope.freq_base": float32(10_000),
  "rope.dimension_count": uint32(headLength),
});

const models: Record<
  MemoryModel,
  {
    architecture: string;
    metadata: Record<string, MetadataValue>;
    tensors: () => TensorDescription[];
  }
> = {
  dense: {
    architecture: "gemma3",
    metadata: { ...attention(2), "attention.head_count_kv": uint32(2) },
    tensors: gemmaTensors,
  },
  mixture: {
    architecture: "qwen3moe",
    metadata: {
      ...attention(2),
      "attention.head_count_kv": uint32(2),
      expert_count: uint32(experts),
      // All are used: rounding would choose others where two are nearly equal, and answers would differ.
      expert_used_count: uint32(experts),
      expert_feed_forward_length: uint32(feedForward),
    },
    tensors: () => [
      ones("output_norm.weight", hidden),
      ...eachLayer((name) => [
        ones(name("attn_norm"), hidden),
        ...attentionTensors(name),
        ones(name("ffn_norm"), hidden),
        drawn(name("ffn_gate_inp"), [hidden, experts]),
        drawn(name("ffn_gate_exps"), [hidden, feedForward, experts]),
        drawn(name("ffn_up_exps"), [hidden, feedForward, experts]),
        drawn(name("ffn_down_exps"), [feedForward, hidden, experts]),
      ]),
    ],
  },
  sliding: {
    architecture: "gemma3",
    metadata: {
      ...attention(2),
      "attention.head_count_kv": uint32(2),
      "attention.sliding_window": uint32(windowTokens),
      "attention.sliding_window_pattern": uint32(2),
    },
    tensors: gemmaTensors,
  },
  hybrid: {
    architecture: "lfm2",
    metadata: {
      ...attention(2),
      "attention.head_count_kv": { type: "int32[]", value: [0, 2, 0, 2] },
      "shortconv.l_cache": uint32(3),
    },
    tensors: () => [
      ones("token_embd_norm.weight", hidden),
      ...eachLayer((name, layer) => [
        ones(name("attn_norm"), hidden),
        ...(layer % 2 === 0 ? convolutionTensors(name) : attentionTensors(name)),
        ...feedForwardTensors(name),
      ]),
    ],
  },
  recurrent: {
    architecture: "mamba",
    metadata: {
      feed_forward_length: uint32(0),
      "attention.head_count": uint32(0),
      "ssm.conv_kernel": uint32(4),
      "ssm.inner_size": uint32(2 * hidden),
      "ssm.state_size": uint32(16),
      "ssm.time_step_rank": uint32(4),
    },
    tensors: () => [
      ones("output_norm.weight", hidden),
      ...eachLayer((name, layer) => [
        ones(name("attn_norm"), hidden),
        drawn(name("ssm_in"), [hidden, 4 * hidden]),
        drawn(name("ssm_conv1d"), [4, 2 * hidden]),
        drawn(`blk.${layer}.ssm_conv1d.bias`, [2 * hidden]),
        drawn(name("ssm_x"), [2 * hidden, 4 + 2 * 16]),
        drawn(name("ssm_dt"), [4, 2 * hidden]),
        drawn(`blk.${layer}.ssm_dt.bias`, [2 * hidden]),
        filled(`blk.${layer}.ssm_a`, [16, 2 * hidden], () => -0.05),
        ones(`blk.${layer}.ssm_d`, 2 * hidden),
        drawn(name("ssm_out"), [2 * hidden, hidden]),
      ]),
    ],
  },
};

export type Namer = (part: string) => string;

function eachLayer(make: (name: Namer, layer: number) => TensorDescription[]): TensorDescription[] {
  return Array.from({ length: layers }, (_, layer) =>
    make((part) => `blk.${layer}.${part}.weight`, layer),
  ).flat();
}

function gemmaTensors(): TensorDescription[] {
  return [
    ones("output_norm.weight", hidden),
    ...Array.from({ length: layers }, (_, layer) => gemmaLayer(layer)).flat(),
  ];
}

function gemmaLayer(layer: number): TensorDescription[] {
  const name: Namer = (part) => `blk.${layer}.${part}.weight`;
  return [
    ones(name("attn_norm"), hidden),
    ...attentionTensors(name),
    ones(name("post_attention_norm"), hidden),
    ...feedForwardTensors(name),
    ones(name("post_ffw_norm"), hidden),
  ];
}

function attentionTensors(name: Namer): TensorDescription[] {
  return [
    drawn(name("attn_q"), [hidden, hidden]),
    drawn(name("attn_k"), [hidden, hidden]),
    drawn(name("attn_v"), [hidden, hidden]),
    drawn(name("attn_output"), [hidden, hidden]),
    // Sharp attention: single tokens far back decide what follows.
    filled(name("attn_q_norm"), [headLength], () => 2),
    filled(name("attn_k_norm"), [headLength], () => 2),
  ];
}

function convolutionTensors(name: Namer): TensorDescription[] {
  return [
    drawn(name("shortconv.conv"), [3, hidden]),
    drawn(name("shortconv.in_proj"), [hidden, 3 * hidden]),
    drawn(name("shortconv.out_proj"), [hidden, hidden]),
  ];
}

function feedForwardTensors(name: Namer): TensorDescription[] {
  return [
    ones(name("ffn_norm"), hidden),
    drawn(name("ffn_gate"), [hidden, feedForward]),
    drawn(name("ffn_up"), [hidden, feedForward]),
    drawn(name("ffn_down"), [feedForward, hidden]),
  ];
}

function zeroed(tensor: TensorDescription): TensorDescription {
  const length = tensor.dimensions.reduce((product, dimension) => product * dimension, 1);
  return { ...tensor, pieces: () => [new Uint8Array(4 * length)] };
}

export function ones(name: string, length: number): TensorDescription {
  return filled(name, [length], () => 1);
}

/** @param scale at 1, what comes out is about as large as what goes in */
export function drawn(name: string, dimensions: number[], scale = 1): TensorDescription {
  const seed = [...Buffer.from(name)].reduce((sum, byte) => Math.imul(sum, 31) + byte, 7);
  const random = createRandom(seed);
  const deviation = scale / Math.sqrt(dimensions[0] ?? 1);
  return filled(name, dimensions, () => drawNormal(random) * deviation);
}

export function filled(name: string, dimensions: number[], next: () => number): TensorDescription {
  const length = dimensions.reduce((product, dimension) => product * dimension, 1);
  return {
    name,
    dimensions,
    type: tensorType.float32,
    pieces: () => [new Uint8Array(Float32Array.from({ length }, next).buffer)],
  };
}

/** Tiny's own. */
async function tokenizer(): Promise<Array<[string, MetadataValue]>> {
  const { metadata } = await readGguf(tinyFile, (key) => key.startsWith("tokenizer."));
  return [...metadata].flatMap(([key, value]): Array<[string, MetadataValue]> => {
    if (!key.startsWith("tokenizer.")) return [];
    if (typeof value === "string") return [[key, { type: "string", value }]];
    if (typeof value === "boolean") return [[key, { type: "boolean", value }]];
    if (typeof value === "number") return [[key, uint32(value)]];
    if (typeof value !== "object" || value.values === undefined) return [];
    return typeof value.values[0] === "string"
      ? [[key, { type: "string[]", value: value.values.map(String) }]]
      : [[key, { type: "int32[]", value: value.values.map(Number) }]];
  });
}
