// Settings that a runner loads its model with: files, device, memory and limits.
import type { SplitMode } from "../../store/model-parameters.ts";
import type { DeviceKind } from "../generation.ts";

export interface VisionSettings {
  /** Absolute path of the projector, the file that encodes images for the model. */
  projectorPath: string;
  /**
   * `built`: the text engine with the image reader that was built on this machine. `prebuilt`: the
   * separate engine of a binding.
   */
  engine: "built" | "prebuilt";
}

/** Small model that drafts tokens, which the model then checks. */
export interface DraftSettings {
  /** For messages. */
  name: string;
  /** Absolute path of its file. */
  modelPath: string;
  architecture: string;
  layers: number;
  vocabularySize: number;
  /** Tokens of its window. */
  contextLength: number;
  sizeBytes: number;
  /** Estimate of its weights and its window; 0 for one that will not be loaded. */
  memoryBytes: number;
  /** Most tokens of a draft. */
  most: number;
  /** Drafts whatever it costs, for tests; otherwise where it is measured to be faster. */
  isForced?: boolean;
}

/** Use of the model's own MTP heads. Needs the engine extension. */
export interface MtpSettings {
  /** Tokens of their window. */
  contextLength: number;
  /** Most tokens of a draft. */
  most: number;
  /** Drafts whatever it costs, for tests; otherwise where it is measured to be faster. */
  isForced?: boolean;
  /** Bytes that a drafted token reads. */
  activeBytes: number;
  /** Estimate of the memory beside the weights. */
  memoryBytes: number;
}

/** Limits for the files of stored prompts. */
export interface PromptLimits {
  /** Bytes of all files together; undefined fits the limit to the disk. */
  budgetBytes: number | undefined;
  /** Milliseconds without use; undefined means no limit. */
  maxAgeMs: number | undefined;
}

/** Settings for prompt prefixes that outlive the model on disk. */
export interface PromptCacheSettings extends PromptLimits {
  /** Absolute path. */
  folder: string;
}

/** Place of a model's weights, besides the number of layers on cards. Needs the engine extension. */
export interface Placement {
  /** Layers, from the first, whose experts stay in the machine's memory. */
  cpuExpertLayers?: number;
  splitMode?: SplitMode;
  /** Card that holds the whole model in the split mode `none`. */
  mainGpu?: number;
  /** Proportions of the cards. */
  tensorSplit?: number[];
}

export interface LoadSettings {
  /** Absolute path of the GGUF file, or of the first part of a split model. */
  modelPath: string;
  /** Bytes of its files. */
  sizeBytes: number;
  draft: DraftSettings | undefined;
  /** Undefined unless the heads draft. */
  mtp: MtpSettings | undefined;
  /** LoRA files that are applied to it. */
  adapters: string[];
  /** Undefined without a projector, or before a request brings the first image. */
  vision: VisionSettings | undefined;
  /** From the file's metadata, which the store has read and checked. */
  architecture: string;
  layers: number;
  /** Number of `layers` that are announced as MTP heads and are not in the file. */
  missingMtpLayers: number;
  vocabularySize: number;
  trainedContextLength: number;
  /** Tokens that layers with a sliding window look back on; 0 without such layers. */
  slidingWindow: number;
  /** Layers with a sliding window keep all tokens anyway, so that a slot can be cut anywhere. */
  keepsWholeWindow: boolean;
  device: "auto" | DeviceKind;
  /** Layers to put on the GPU; undefined fits as many as there is room for. */
  gpuLayers: number | undefined;
  placement: Placement;
  /** One cache for all slots instead of one for each; needs the engine extension. */
  unifiedCache: boolean;
  /** Parallel conversations. */
  slots: number;
  /** Tokens of one slot's context window. */
  contextLength: number;
  /** Tokens that memory has room for, over the windows of all slots. */
  windowRoomTokens: number;
  /** Reason why the window is not longer, as a noun phrase for users. */
  windowLimit: string;
  /** Undefined uses the performance cores. */
  threads: number | undefined;
  /** Most tokens in one step. */
  batchSize: number;
  /** Most prompt tokens in one step; undefined adapts to the machine. */
  prefillChunk: number | undefined;
  /** Mixes prompts and answers in one step. */
  mixedBatches: boolean;
  /** Max tokens to guess by prompt lookup; 0 turns it off, undefined leaves it to the model's size. */
  lookupTokens: number | undefined;
  /** Shares prompt prefixes between slots. */
  prefixSharing: boolean;
  /** Most memory for conversations saved outside the slots; undefined fits it to the machine. */
  conversationCacheBytes: number | undefined;
  /** Undefined turns storage on disk off. */
  promptCache: (PromptCacheSettings & { model: string; parts: string[] }) | undefined;
  flashAttention: boolean | "auto";
  kvCacheType: "f16" | "q8_0" | "q4_0";
  useMmap: boolean;
  /** Requests that may wait for a slot. */
  maxQueue: number;
}
