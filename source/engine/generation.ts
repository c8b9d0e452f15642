// Requests to a runner and the events it reports back.
import type { LazyCallsOptions } from "../prompt/grammar/lazy-calls.ts";
import type { PromptSegment } from "../prompt/prompt-segment.ts";

/** Settings for choosing the next token. */
export interface SamplingParameters {
  /** 0 always takes the most likely token. */
  temperature: number;
  /** Only the k most likely tokens; 0 means all. */
  topK: number;
  /** Only the most likely tokens that together reach this probability; 1 means all. */
  topP: number;
  /** Only tokens at least this fraction as likely as the best one; 0 means all. */
  minP: number;
  /** 1 means none. */
  repeatPenalty: number;
  /** Number of recent tokens that the three penalties look at; 0 none, -1 the whole window. */
  repeatLastN: number;
  presencePenalty: number;
  frequencyPenalty: number;
  /** 32-bit; undefined draws a new one for each request. */
  seed: number | undefined;
  /** Added to the logit of a token id before anything else. */
  logitBias: ReadonlyArray<readonly [token: number, bias: number]>;
}

/** Marked text, or token ids that are used as they are. */
export type GenerationPrompt = MarkedPrompt | { tokens: number[] };

export interface MarkedPrompt {
  segments: PromptSegment[];
  /** PNG or JPEG files as base64; segments refer to them by index. */
  images?: string[];
  /** Tokens in front of everything else. */
  earlier?: number[];
}

export interface LazyGrammars {
  calls: LazyCallsOptions;
  /** Undefined when the model does not think. */
  thinking: { open: string; close: string; startsInside: boolean } | undefined;
}

/** Thinking before an answer, and its limit. */
export interface ThinkingRequest {
  open: string;
  close: string;
  /** The prompt has already opened it. */
  startsInside: boolean;
  /** Most tokens of it; undefined for no limit. */
  budget: number | undefined;
}

export interface GenerationRequest {
  /** Name of the client: clients take turns in the queue. */
  client?: string;
  prompt: GenerationPrompt;
  /** Undefined: until the model stops or the window is full. At least 1. */
  maxTokens: number | undefined;
  sampling: SamplingParameters;
  /** Texts that end the answer and are not part of it. */
  stop: string[];
  /** The model's end tokens cannot be chosen. */
  ignoreEndOfText: boolean;
  /** Number of alternatives to report for each token; undefined reports no log-probabilities. */
  topLogprobs: number | undefined;
  /** Grammar of the whole answer in llama.cpp's GBNF; it begins at the rule `root`. */
  grammar: string | undefined;
  /**
   * Grammars that start to apply once the answer writes their mark, the first mark that comes. Marks
   * inside thinking do not count.
   */
  lazy?: LazyGrammars;
  /** Absent for models that do not think. */
  thinking?: ThinkingRequest;
  /** Control tokens that are part of the answer's text, for readers that look for marks in it. */
  visibleControlTexts: string[];
}

/** A text, or tokens of this very model that are used as they are. */
export type EmbeddingText = string | number[];

export interface EmbeddingInput {
  texts: EmbeddingText[];
  /** Cuts texts that are too long instead of refusing them. */
  truncate: boolean;
  /** Most tokens of a text; undefined or more than the model was trained for: the trained length. */
  windowTokens?: number;
}

export interface EmbeddingOutput {
  /** Vectors of the texts in order, not normalised. */
  vectors: number[][];
  tokenCounts: number[];
}

export interface RankInput {
  query: string;
  documents: string[];
  /** Text of the model around `{query}` and `{document}`; undefined for a plain pair of texts. */
  template: string | undefined;
  /** Cuts the ends of documents that are too long instead of refusing them. */
  truncate: boolean;
}

export interface RankOutput {
  /** The model's scores of the documents in order: any numbers, or probabilities, as it was trained. */
  scores: number[];
  tokenCounts: number[];
}

/** Token with the model's own log-probability, before temperature and filters. */
export interface TokenLogprob {
  token: string;
  /** The token's bytes: a character may be spread over several tokens. */
  bytes: number[];
  logprob: number;
  top: Array<{ token: string; bytes: number[]; logprob: number }>;
}

export type FinishReason = "stop" | "length" | "cancelled";

/**
 * Source of the prompt tokens that were not computed: a slot, a checkpoint of one, or a state saved
 * in memory or on disk. `none` when no earlier prompt begins alike; `not kept` when one does, but no
 * state of their common part was saved.
 */
export type PromptSource = "slot" | "checkpoint" | "memory" | "disk" | "none" | "not kept";

/**
 * Reason for the source `none`: nothing was read since the model was loaded, the prompt is too short
 * to gain anything, or every remembered prompt differs after a few tokens.
 */
export type CacheMiss = "first prompt" | "too short" | "begins otherwise";

export interface GenerationStatistics {
  promptTokens: number;
  /** Prompt tokens that were reused instead of computed. */
  cachedTokens: number;
  completionTokens: number;
  /** Guessed tokens that steps checked; absent if there were none. */
  drafted?: number;
  /** Guessed tokens that were right, so that they took no step of their own. */
  accepted?: number;
  /** Measured speed with drafts relative to that without them, if that ended their use. */
  draftSpeed?: number;
  /** Waiting for a slot. */
  queueMs: number;
  /** From slot to first token. */
  promptMs: number;
  /** From first to last token. */
  completionMs: number;
}

export type GenerationEvent =
  | { type: "queued"; ahead: number }
  | {
      type: "started";
      promptTokens: number;
      cachedTokens: number;
      cachedFrom?: PromptSource;
      cacheMiss?: CacheMiss;
      slot: number;
      /** Budget for thinking, if it is smaller than the request's: the answer has no more room. */
      thinkingBudget?: number;
    }
  | { type: "prompt"; completedTokens: number; totalTokens: number }
  | { type: "text"; text: string; tokens: number; logprobs?: TokenLogprob[] }
  | { type: "done"; reason: FinishReason; stopText?: string; statistics: GenerationStatistics };

/** Facts about a loaded model. */
export interface RunnerFacts {
  /** As llama.cpp describes it, e.g. `llama 8B Q4_K - Medium`. */
  description: string;
  /** Tokens in one slot's context window. */
  contextLength: number;
  trainedContextLength: number;
  slots: number;
  parameters: number;
  /** Memory taken by weights and context, in bytes. */
  memory: { ramBytes: number; vramBytes: number };
  device: DeviceReport;
  /** Draft model in use; its memory is counted above. */
  draft?: { name: string; bytes: number };
  /** Sentences about what it runs without, although it was to be loaded with it. */
  warnings: readonly string[];
  bosText: string;
  eosText: string;
  /** Texts of all control tokens, which must never arise from a user's text. */
  controlTexts: string[];
  processId: number;
  loadPhases: LoadPhases;
}

/** Milliseconds of each part of a load, in order. */
export interface LoadPhases {
  /** From the start of the process to the load request. */
  process: number;
  /** Opening the native library and choosing the device. */
  device: number;
  /** Reading the weights. */
  weights: number;
  /** Creating the context window. */
  context: number;
}

export type DeviceKind = "cpu" | "cuda" | "metal" | "rocm" | "vulkan";

/** Device that the model runs on, and the reason. */
export interface DeviceReport {
  kind: DeviceKind;
  names: string[];
  gpuLayers: number;
  totalLayers: number;
  /** Sentence for the user. */
  reason: string;
  /** Memory of the card with the model on it; absent where the card uses the machine's own memory. */
  memory?: { totalBytes: number; freeBytes: number };
}
