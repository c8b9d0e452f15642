// What a runner is told when it is started: which model, on which device, with how much room.
import type { DeviceKind } from "../generation.ts";

export interface VisionSettings {
  /** Absolute path of the file that turns images into what the model reads. */
  projectorPath: string;
  /**
   * `built`: the text engine, through the image reader that was built for it. `prebuilt`: an engine of
   * its own, that of a binding.
   */
  engine: "built" | "prebuilt";
}

/** Limits of the files of stored prompts. */
export interface PromptLimits {
  /** Of all files together, in bytes; undefined fits it to the disk. */
  budgetBytes: number | undefined;
  /** Milliseconds without use; undefined keeps them for good. */
  maximumAgeMs: number | undefined;
}

/** Where beginnings of prompts outlive the model, and what names their files. */
export interface PromptCacheSettings extends PromptLimits {
  /** Absolute. */
  folder: string;
}

export interface LoadSettings {
  /** Absolute path of the GGUF file; of a split model, its first part. */
  modelPath: string;
  /** LoRA files that are applied to it. */
  adapters: string[];
  /** How the model sees; undefined where it cannot, or where no request has brought an image yet. */
  vision: VisionSettings | undefined;
  /** From the file's own metadata, which the store has read and checked. */
  architecture: string;
  layers: number;
  vocabularySize: number;
  trainedContextLength: number;
  /** Tokens that layers with a sliding window look back on; 0 where none has one. */
  slidingWindow: number;
  /** Layers with a sliding window keep all tokens all the same: a slot can be cut anywhere. */
  keepsWholeWindow: boolean;
  device: "auto" | DeviceKind;
  /** Layers to put on the GPU; undefined fits as many as there is room for. */
  gpuLayers: number | undefined;
  /** Parallel conversations. */
  slots: number;
  /** Tokens of one slot's context window. */
  contextLength: number;
  /** Undefined uses the cores that are good for computing. */
  threads: number | undefined;
  /** Most tokens in one step. */
  batchSize: number;
  /** Most prompt tokens in one step; undefined adapts to the machine. */
  prefillChunk: number | undefined;
  /** Prompts and answers in one step. */
  mixedBatches: boolean;
  /** Tokens to guess by prompt lookup; 0 is off. */
  lookupTokens: number;
  /** Share beginnings of prompts between slots. */
  prefixSharing: boolean;
  /** Most memory for conversations beside the slots; undefined fits it to the machine. */
  conversationCacheBytes: number | undefined;
  /** Undefined keeps nothing on disk. */
  promptCache: (PromptCacheSettings & { model: string; parts: string[] }) | undefined;
  flashAttention: boolean | "auto";
  kvCacheType: "f16" | "q8_0" | "q4_0";
  useMmap: boolean;
  /** Requests that may wait for a slot. */
  maximumQueue: number;
}
