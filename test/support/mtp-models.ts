// Small models with an MTP head: dense ones, and hybrid ones with recurrent states beside attention. They speak
// tiny's tokens.
//
// They count: after token 20 comes 21. A token's embedding is a point on circles, of which the next token is
// a rotation, so the head can predict from the state before a token what follows it. Random layers make
// the probabilities depend on all that was read.
import type { MetadataValue, TensorDescription } from "../performance/gguf-writer.ts";
import { createRandom } from "../performance/random.ts";
import {
  attention,
  drawn,
  feedForward,
  filled,
  headLength,
  hidden,
  type Namer,
  ones,
  uint32,
  vocabulary,
  writeModel,
} from "./memory-models.ts";

export type MtpModel = "dense" | "hybrid";

const heads = hidden / headLength;
/** The last layer of a hybrid model has attention. */
const layerCount = 4;
/** Weight of what a layer adds. */
const layerWeight = 0.3;
const experts = 2;
const stateSize = 32;
const stateHeads = 2;
const convolution = 4;

/** @param options `isHeadless` leaves out the head, which the metadata announces nevertheless */
export async function writeMtpModel(
  file: string,
  kind: MtpModel,
  { isHeadless = false } = {},
): Promise<void> {
  const { architecture, metadata, layer, head } = models[kind];
  const layers = Array.from({ length: layerCount }, (_, at) =>
    layer((part) => `blk.${at}.${part}.weight`, at, layerWeight),
  );
  const name: Namer = (part) => `blk.${layerCount}.${part}.weight`;
  await writeModel(
    file,
    architecture,
    {
      ...attention(heads),
      "attention.head_count_kv": uint32(heads),
      block_count: uint32(layerCount + 1),
      nextn_predict_layers: uint32(1),
      ...metadata,
    },
    [
      filled(
        "token_embd.weight",
        [hidden, vocabulary],
        elements((token, at) => point(token, at)),
      ),
      filled(
        "output.weight",
        [hidden, vocabulary],
        elements((token, at) => 0.2 * point(token - 1, at)),
      ),
      ones("output_norm.weight", hidden),
      ...layers.flat(),
      ...(isHeadless ? [] : [...head(name, layerCount), ...predictionTensors(name)]),
    ],
  );
}

const models: Record<
  MtpModel,
  {
    architecture: string;
    metadata: Record<string, MetadataValue>;
    /** @param weight of what the layer adds */
    layer: (name: Namer, at: number, weight: number) => TensorDescription[];
    head: (name: Namer, at: number) => TensorDescription[];
  }
> = {
  dense: {
    architecture: "glm4moe",
    metadata: {
      // The head is a mixture of experts, as llama.cpp demands.
      leading_dense_block_count: uint32(layerCount),
      expert_count: uint32(experts),
      expert_used_count: uint32(experts),
      expert_shared_count: uint32(1),
      expert_feed_forward_length: uint32(feedForward),
    },
    layer: (name, _at, weight) => [
      ...attentionTensors(name, weight),
      ...feedForwardTensors(name, weight),
    ],
    head: (name, at) => [
      ...attentionTensors(name, 0),
      drawn(name("ffn_gate_inp"), [hidden, experts]),
      drawn(`blk.${at}.exp_probs_b.bias`, [experts]),
      drawn(name("ffn_gate_exps"), [hidden, feedForward, experts]),
      drawn(name("ffn_up_exps"), [hidden, feedForward, experts]),
      drawn(name("ffn_down_exps"), [feedForward, hidden, experts], 0),
      drawn(name("ffn_gate_shexp"), [hidden, feedForward]),
      drawn(name("ffn_up_shexp"), [hidden, feedForward]),
      drawn(name("ffn_down_shexp"), [feedForward, hidden], 0),
    ],
  },
  hybrid: {
    architecture: "qwen35",
    metadata: {
      full_attention_interval: uint32(layerCount),
      "rope.dimension_sections": { type: "int32[]", value: [8, 8, 0, 0] },
      "ssm.conv_kernel": uint32(convolution),
      "ssm.inner_size": uint32(stateSize * stateHeads),
      "ssm.state_size": uint32(stateSize),
      "ssm.time_step_rank": uint32(stateHeads),
      "ssm.group_count": uint32(stateHeads),
    },
    layer: (name, at, weight) => [
      ...((at + 1) % layerCount === 0
        ? attentionTensors(name, weight, 2)
        : recurrentTensors(name, at, weight)),
      ...feedForwardTensors(name, weight),
    ],
    head: (name) => [...attentionTensors(name, 0, 2), ...feedForwardTensors(name, 0)],
  },
};

/** @param parts of a query: a hybrid model's has a gate, too */
function attentionTensors(name: Namer, weight: number, parts = 1): TensorDescription[] {
  return [
    ones(name("attn_norm"), hidden),
    ones(name("post_attention_norm"), hidden),
    drawn(name("attn_q"), [hidden, parts * hidden]),
    drawn(name("attn_k"), [hidden, hidden]),
    drawn(name("attn_v"), [hidden, hidden]),
    drawn(name("attn_output"), [hidden, hidden], weight),
    // Sharp attention: single tokens far back decide what follows.
    filled(name("attn_q_norm"), [headLength], () => 2),
    filled(name("attn_k_norm"), [headLength], () => 2),
  ];
}

function recurrentTensors(name: Namer, at: number, weight: number): TensorDescription[] {
  const width = 3 * stateSize * stateHeads;
  return [
    ones(name("attn_norm"), hidden),
    ones(name("post_attention_norm"), hidden),
    drawn(name("attn_qkv"), [hidden, width]),
    drawn(name("attn_gate"), [hidden, stateSize * stateHeads]),
    drawn(name("ssm_conv1d"), [convolution, width]),
    drawn(`blk.${at}.ssm_dt.bias`, [stateHeads]),
    filled(`blk.${at}.ssm_a`, [stateHeads], () => -0.01),
    drawn(name("ssm_beta"), [hidden, stateHeads]),
    drawn(name("ssm_alpha"), [hidden, stateHeads]),
    ones(name("ssm_norm"), stateSize),
    drawn(name("ssm_out"), [stateSize * stateHeads, hidden], 3 * weight),
  ];
}

function feedForwardTensors(name: Namer, weight: number): TensorDescription[] {
  return [
    drawn(name("ffn_gate"), [hidden, feedForward]),
    drawn(name("ffn_up"), [hidden, feedForward]),
    drawn(name("ffn_down"), [feedForward, hidden], weight),
  ];
}

/** Makes of a token and the state before it what follows the token; the state counts more. */
function predictionTensors(name: Namer): TensorDescription[] {
  return [
    ones(name("nextn.enorm"), hidden),
    ones(name("nextn.hnorm"), hidden),
    filled(
      name("nextn.eh_proj"),
      [2 * hidden, hidden],
      elements((to, from) => {
        if (from < hidden) return from === to ? 0.3 : 0;
        return 0.7 * rotation(to, from - hidden);
      }, 2 * hidden),
    ),
  ];
}

const random = createRandom(11);
/** Turns of each circle over the whole vocabulary. */
const turns = Array.from({ length: hidden / 2 }, () => 1 + (random() % (vocabulary - 1)));

function angle(token: number, at: number): number {
  return (2 * Math.PI * (turns[Math.floor(at / 2)] ?? 0) * token) / vocabulary;
}

/** Returns a number of a token's embedding. */
function point(token: number, at: number): number {
  return at % 2 === 0 ? Math.cos(angle(token, at)) : Math.sin(angle(token, at));
}

/** Returns an element of the matrix that makes the next token's embedding of a token's. */
function rotation(to: number, from: number): number {
  if (Math.floor(to / 2) !== Math.floor(from / 2)) return 0;
  if (to === from) return Math.cos(angle(1, to));
  return to % 2 === 0 ? -Math.sin(angle(1, to)) : Math.sin(angle(1, to));
}

/** Returns a function that yields the elements of a matrix, row by row. */
function elements(at: (row: number, column: number) => number, width = hidden): () => number {
  let index = 0;
  return () => {
    const value = at(Math.floor(index / width), index % width);
    index += 1;
    return value;
  };
}
