// Facts about a GGUF file that are needed before it is loaded, and the sizes of its tensors.
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { activeWeightsBytes, expertShare } from "./active-weights.ts";
import { type MtpHeads, mtpHeads } from "./mtp-heads.ts";
import { type GgufHeader, type GgufValue, readGguf } from "./read-gguf.ts";
import { tensorEnd } from "./tensor-size.ts";

export interface GgufFacts {
  path: string;
  architecture: string;
  name: string | undefined;
  /** Tokens the model was trained for; a larger window is useless. */
  trainedContextLength: number;
  layers: number;
  vocabularySize: number;
  /** The Jinja text of `tokenizer.chat_template`, if the file has one. */
  chatTemplate: string | undefined;
  /** Its `tokenizer.chat_template.tool_use`, for requests with tools. */
  toolTemplate: string | undefined;
  fileSize: number;
  /** Bytes of weights that each token of an answer reads. */
  activeBytes: number;
  /** False for a file with only a vocabulary, as in llama.cpp's tests. */
  hasWeights: boolean;
  /** Numbers that a context window keeps for each token, over all layers. */
  cacheWidth: number;
  /** Most numbers that the recurrent states of a sequence may have, over all layers; 0 without any. */
  recurrentWidth: number;
  /** Tokens that layers with a sliding window look back on; 0 if no layer is known to have one. */
  slidingWindow: number;
  /** Share of the weights' bytes that belong to experts; 0 for a model that is no mixture of them. */
  expertShare: number;
  mtpHeads: MtpHeads;
  /** Length of an embedding vector. */
  embeddingLength: number;
  /** True for a model that produces embeddings or ranks only and cannot generate text. */
  isEmbeddingOnly: boolean;
  /** True for a model that scores how well documents fit a query, and does nothing else. */
  isReranker: boolean;
  /** Text around `{query}` and `{document}`, for rerankers that need one. */
  rerankTemplate: string | undefined;
}

/**
 * Reads and checks the facts. Detects a truncated file before the engine loads it.
 *
 * @throws ProductError, see `readGguf`
 */
export async function readGgufFacts(path: string): Promise<GgufFacts> {
  return factsOf(path, await readGguf(path));
}

/** llama.cpp's `LLAMA_POOLING_TYPE_RANK`. */
const rankPooling = 4;

/** @throws ProductError `STORE_GGUF_TRUNCATED`, `STORE_GGUF_INVALID` */
export function factsOf(path: string, header: GgufHeader): GgufFacts {
  checkTensorData(path, header);
  const { metadata } = header;
  const architecture = text(metadata.get("general.architecture"));
  if (architecture === undefined) throw missing(path, "general.architecture", metadata);
  const tokens = metadata.get("tokenizer.ggml.tokens");
  const vocabularySize =
    typeof tokens === "object" ? tokens.length : number(metadata.get(`${architecture}.vocab_size`));
  if (vocabularySize === undefined) throw missing(path, "tokenizer.ggml.tokens", metadata);
  const layers = number(metadata.get(`${architecture}.block_count`));
  if (layers === undefined) throw missing(path, `${architecture}.block_count`, metadata);
  const isReranker = number(metadata.get(`${architecture}.pooling_type`)) === rankPooling;
  return {
    path,
    architecture,
    name: text(metadata.get("general.name")),
    trainedContextLength: number(metadata.get(`${architecture}.context_length`)) || 2048,
    layers,
    vocabularySize,
    chatTemplate:
      text(metadata.get("tokenizer.chat_template")) ??
      text(metadata.get("tokenizer.chat_template.default")),
    toolTemplate: text(metadata.get("tokenizer.chat_template.tool_use")),
    fileSize: header.fileSize,
    activeBytes: activeWeightsBytes([header]),
    hasWeights: header.tensors.length > 0,
    cacheWidth: cacheWidth(metadata, architecture, layers),
    recurrentWidth: recurrentWidth(metadata, architecture, layers),
    slidingWindow: slidingWindow(metadata, architecture),
    expertShare: expertShare(header.tensors),
    mtpHeads: mtpHeads(header, header.tensors),
    embeddingLength: number(metadata.get(`${architecture}.embedding_length`)) ?? 0,
    isEmbeddingOnly: metadata.has(`${architecture}.pooling_type`),
    isReranker,
    rerankTemplate: text(metadata.get("tokenizer.chat_template.rerank")),
  };
}

/** Windows that llama.cpp derives from the architecture; the file may name none, or another one. */
const builtInWindows: Record<string, number> = {
  exaone4: 4096,
  "exaone-moe": 128,
  gemma2: 4096,
  llama4: 8192,
  smallthinker: 4096,
};

/** Overestimating a window does no harm. */
function slidingWindow(metadata: GgufHeader["metadata"], architecture: string): number {
  const named = number(metadata.get(`${architecture}.attention.sliding_window`)) ?? 0;
  return Math.max(named, builtInWindows[architecture] ?? 0);
}

/** Counts keys and values of all layers; grouped heads may differ between layers. */
function cacheWidth(
  metadata: GgufHeader["metadata"],
  architecture: string,
  layers: number,
): number {
  const key = (name: string) => metadata.get(`${architecture}.${name}`);
  const heads = number(key("attention.head_count")) ?? 1;
  const headLength = (number(key("embedding_length")) ?? 0) / heads;
  const keyLength = number(key("attention.key_length")) ?? headLength;
  const valueLength = number(key("attention.value_length")) ?? headLength;
  const grouped = key("attention.head_count_kv");
  const perLayer = typeof grouped === "object" ? (grouped.values ?? []) : [];
  const kvHeads =
    perLayer.length === 0
      ? layers * (number(grouped) ?? heads)
      : perLayer.reduce<number>((sum, count) => sum + (number(count) ?? 0), 0);
  return kvHeads * (keyLength + valueLength);
}

/** Counts all layers as recurrent ones. Source: llama.cpp, `llama_hparams::n_embd_r` and `n_embd_s`. */
function recurrentWidth(
  metadata: GgufHeader["metadata"],
  architecture: string,
  layers: number,
): number {
  const key = (name: string) => number(metadata.get(`${architecture}.ssm.${name}`)) ?? 0;
  const [inner, state, groups] = [key("inner_size"), key("state_size"), key("group_count")];
  const convolution = Math.max(0, key("conv_kernel") - 1) * (inner + 2 * groups * state);
  return layers * (inner * state + convolution);
}

/**
 * Checks that every tensor is inside the file.
 *
 * @throws ProductError `STORE_GGUF_TRUNCATED`
 */
export function checkTensorData(path: string, header: GgufHeader): void {
  if (header.tensors.length === 0) return;
  const last = header.tensors.reduce((end, tensor) => Math.max(end, tensorEnd(tensor)), 0);
  const needed = header.dataOffset + last;
  if (needed <= header.fileSize) return;
  throw new ProductError(storeErrors.ggufTruncated, {
    message:
      `${path} is truncated: its weights reach to byte ${needed}, ` +
      `but the file has only ${header.fileSize} bytes.`,
    hint: "Download it again.",
  });
}

function text(value: GgufValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: GgufValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function missing(path: string, key: string, metadata: GgufHeader["metadata"]): ProductError {
  const type = text(metadata.get("general.type"));
  if (type === "adapter") {
    return new ProductError(storeErrors.ggufInvalid, {
      message: `${path} is an adapter, not a model.`,
      hint: "Use it with ADAPTER in a Modelfile.",
    });
  }
  const isClip = text(metadata.get("general.architecture")) === "clip";
  if (type === "projector" || type === "mmproj" || isClip) {
    return new ProductError(storeErrors.ggufInvalid, {
      message: `${path} is a projector, not a model.`,
      hint: "Name the model, and add the projector with --mmproj or a second FROM.",
    });
  }
  return new ProductError(storeErrors.ggufInvalid, {
    message: `${path} cannot be run: its metadata has no ${key}.`,
    hint: "It may be part of a split model, or not a model. Name the model itself.",
  });
}
