// Projector of the benchmark's model: a vision transformer of the usual middle size (86 million random
// weights), which turns an image into 576 tokens.

import { link, mkdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { deleteOnExit } from "./clean-up.ts";
import {
  type MetadataValue,
  type TensorDescription,
  tensorType,
  writeGguf,
} from "./gguf-writer.ts";
import { denseWidth } from "./synthetic-architectures.ts";
import { matrix } from "./synthetic-tensors.ts";

const shape = {
  image: 384,
  patch: 16,
  width: 768,
  feedForward: 3072,
  layers: 12,
  heads: 12,
} as const;

export const imageTokens = (shape.image / shape.patch) ** 2;

/** Increased when the file's content changes, so that an older cached one is not used. */
const version = 2;

export interface SeeingModel {
  modelPath: string;
  projectorPath: string;
}

/** Puts the benchmark's model and its projector in a separate folder. */
export async function ensureSeeingModel(modelPath: string, folder: string): Promise<SeeingModel> {
  const ownFolder = join(folder, `seeing-v${version}`);
  const seeing = {
    modelPath: join(ownFolder, "synthetic.gguf"),
    projectorPath: join(ownFolder, "mmproj-synthetic.gguf"),
  };
  await mkdir(ownFolder, { recursive: true });
  if (!(await exists(seeing.modelPath))) await link(modelPath, seeing.modelPath);
  if (await exists(seeing.projectorPath)) return seeing;
  const partialPath = `${seeing.projectorPath}.${process.pid}.partial`;
  const forget = deleteOnExit(partialPath);
  await writeGguf(partialPath, describeProjector(), describeTensors());
  await rename(partialPath, seeing.projectorPath);
  forget();
  return seeing;
}

function describeProjector(): Map<string, MetadataValue> {
  const uint32 = (value: number): MetadataValue => ({ type: "uint32", value });
  const string = (value: string): MetadataValue => ({ type: "string", value });
  const halves: MetadataValue = { type: "float32[]", value: [0.5, 0.5, 0.5] };
  return new Map<string, MetadataValue>([
    ["general.architecture", string("clip")],
    ["general.name", string("Synthetic projector")],
    ["general.type", string("mmproj")],
    ["general.file_type", uint32(1)],
    ["clip.has_vision_encoder", { type: "boolean", value: true }],
    ["clip.projector_type", string("janus_pro")],
    ["clip.use_gelu", { type: "boolean", value: true }],
    ["clip.vision.image_size", uint32(shape.image)],
    ["clip.vision.patch_size", uint32(shape.patch)],
    ["clip.vision.embedding_length", uint32(shape.width)],
    ["clip.vision.feed_forward_length", uint32(shape.feedForward)],
    ["clip.vision.block_count", uint32(shape.layers)],
    ["clip.vision.projection_dim", uint32(denseWidth)],
    ["clip.vision.attention.head_count", uint32(shape.heads)],
    ["clip.vision.attention.layer_norm_epsilon", { type: "float32", value: 1e-6 }],
    ["clip.vision.image_mean", halves],
    ["clip.vision.image_std", halves],
  ]);
}

function describeTensors(): TensorDescription[] {
  const { patch, width, feedForward, layers } = shape;
  const patches = matrix("v.patch_embd.weight", patch * patch * 3, width);
  const tensors = [
    { ...patches, dimensions: [patch, patch, 3, width] },
    vector("v.patch_embd.bias", width, 0),
    {
      ...vector("v.position_embd.weight", width * imageTokens, 0),
      dimensions: [width, imageTokens],
    },
  ];
  for (let layer = 0; layer < layers; layer++) {
    const name = (part: string): string => `v.blk.${layer}.${part}`;
    const linear = (part: string, inputs: number, outputs: number) => [
      matrix(name(`${part}.weight`), inputs, outputs),
      vector(name(`${part}.bias`), outputs, 0),
    ];
    tensors.push(
      ...norm(name("ln1"), width),
      ...norm(name("ln2"), width),
      ...["attn_q", "attn_k", "attn_v", "attn_out"].flatMap((part) => linear(part, width, width)),
      ...linear("ffn_up", width, feedForward),
      ...linear("ffn_down", feedForward, width),
    );
  }
  return [
    ...tensors,
    ...norm("v.post_ln", width),
    matrix("mm.0.weight", width, denseWidth),
    vector("mm.0.bias", denseWidth, 0),
    matrix("mm.1.weight", denseWidth, denseWidth),
    vector("mm.1.bias", denseWidth, 0),
  ];
}

function norm(name: string, length: number): TensorDescription[] {
  return [vector(`${name}.weight`, length, 1), vector(`${name}.bias`, length, 0)];
}

function vector(name: string, length: number, value: number): TensorDescription {
  const numbers = new Float32Array(length).fill(value);
  return {
    name,
    dimensions: [length],
    type: tensorType.float32,
    pieces: () => [new Uint8Array(numbers.buffer)],
  };
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
