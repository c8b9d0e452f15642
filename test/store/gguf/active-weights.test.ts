// Weights that each token of an answer reads.
import { expect, test } from "vitest";
import { activeWeightsBytes } from "../../../source/store/gguf/active-weights.ts";
import type { GgufHeader, GgufTensor, GgufValue } from "../../../source/store/gguf/read-gguf.ts";

const f16 = 1;
const tensor = (name: string, count: number): GgufTensor => ({
  name,
  shape: [count],
  type: f16,
  offset: 0,
});

function header(tensors: GgufTensor[], metadata: Record<string, GgufValue> = {}): GgufHeader {
  const all = new Map<string, GgufValue>(Object.entries(metadata));
  return { version: 3, metadata: all, tensors, dataOffset: 0, fileSize: 0 };
}

const embedding = tensor("token_embd.weight", 1000);
const layer = tensor("blk.0.attn_q.weight", 100);

test("leave out the embeddings, unless they are the output, too", () => {
  expect(activeWeightsBytes([header([embedding, layer])])).toBe(2200);
  const output = tensor("output.weight", 1000);
  expect(activeWeightsBytes([header([embedding, layer, output])])).toBe(2200);
});

test("count the experts that a token uses, in all parts", () => {
  const facts = {
    "general.architecture": "moe",
    "moe.expert_count": 8,
    "moe.expert_used_count": 2,
  };
  const first = header([layer], facts);
  const second = header([
    tensor("blk.0.ffn_up_exps.weight", 800),
    tensor("blk.0.ffn_up_shexp.weight", 50),
  ]);
  expect(activeWeightsBytes([first, second])).toBe(200 + 400 + 100);
});
