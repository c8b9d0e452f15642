// Weights that a model reads for each token of an answer: what its speed depends on.
import type { GgufHeader, GgufTensor } from "./read-gguf.ts";
import { tensorBytes } from "./tensor-size.ts";

/** Tensors with the weights of all experts, which llama.cpp's --n-cpu-moe names. */
const expertTensor = /\.ffn_(?:up|down|gate|gate_up)_(?:ch|)exps/;
const embeddingName = "token_embd.weight";
const outputName = "output.weight";

/**
 * Counts only those experts that a token uses. Leaves out the table of token embeddings, of which a token
 * reads one row, unless the table is also the model's output.
 *
 * @param headers of the model, or of every part of a split one in their order
 * @returns bytes
 */
export function activeWeightsBytes(headers: readonly GgufHeader[]): number {
  const tensors = headers.flatMap((header) => header.tensors);
  const hasOutput = tensors.some(({ name }) => name === outputName);
  const share = usedShare(headers[0]);
  return tensors.reduce((sum, tensor) => {
    if (tensor.name === embeddingName && hasOutput) return sum;
    return sum + tensorBytes(tensor) * (expertTensor.test(tensor.name) ? share : 1);
  }, 0);
}

/**
 * Returns the share of the weights' bytes that belong to experts.
 *
 * @param tensors those of all parts of a split model
 */
export function expertShare(tensors: readonly GgufTensor[]): number {
  let [experts, all] = [0, 0];
  for (const tensor of tensors) {
    const bytes = tensorBytes(tensor);
    all += bytes;
    if (expertTensor.test(tensor.name)) experts += bytes;
  }
  return all === 0 ? 0 : experts / all;
}

/** Returns the share of its experts that a model uses for a token: 1 for a model without experts. */
function usedShare(header: GgufHeader | undefined): number {
  const architecture = header?.metadata.get("general.architecture");
  const count = header?.metadata.get(`${architecture}.expert_count`);
  const used = header?.metadata.get(`${architecture}.expert_used_count`);
  if (typeof count !== "number" || typeof used !== "number" || count <= 0) return 1;
  return Math.min(1, used / count);
}
