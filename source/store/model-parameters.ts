// Parameters of a model: `options` in the native API, PARAMETER in a Modelfile.

/** Number formats of a context window, the largest first. */
export const cacheTypes = ["f16", "q8_0", "q4_0"] as const;

type CacheType = (typeof cacheTypes)[number];

/** Ways to spread a model over several cards: whole layers, the rows of each layer, or one card alone. */
export const splitModes = ["layer", "row", "none"] as const;

export type SplitMode = (typeof splitModes)[number];

/** Drafts by parts of the model itself, as llama-server's `--spec-type`: none, or its MTP heads. */
export const specTypes = ["none", "draft-mtp"] as const;

export type SpecType = (typeof specTypes)[number];

/** Values of each kind of parameter. */
interface KindValues {
  integer: number;
  number: number;
  boolean: boolean;
  strings: string[];
  "cache type": CacheType;
  "split mode": SplitMode;
  "spec type": SpecType;
  /** Proportions of the cards, as in `3,1`. */
  shares: string;
  /** Name or file of a model. */
  model: string;
}

export type ParameterKind = keyof KindValues;

/** Kind of each parameter; `load` ones take effect when the model is loaded. */
export const parameterKinds = {
  num_ctx: { kind: "integer", when: "load" },
  num_batch: { kind: "integer", when: "load" },
  num_gpu: { kind: "integer", when: "load" },
  main_gpu: { kind: "integer", when: "load" },
  /** Our addition: how layers are spread over cards. */
  split_mode: { kind: "split mode", when: "load" },
  /** Our addition: the cards' proportions of the model. */
  tensor_split: { kind: "shares", when: "load" },
  /** Our addition: layers whose experts stay in the machine's memory. */
  n_cpu_moe: { kind: "integer", when: "load" },
  use_mmap: { kind: "boolean", when: "load" },
  num_thread: { kind: "integer", when: "load" },
  /** Our addition: type of the KV cache. */
  kv_cache_type: { kind: "cache type", when: "load" },
  /** Our addition: one cache for all parallel requests. */
  kv_unified: { kind: "boolean", when: "load" },
  /** Our addition: name of a draft model, as DRAFT names its file. */
  draft: { kind: "model", when: "load" },
  /** Our addition: drafts by the model's own MTP heads. */
  spec_type: { kind: "spec type", when: "load" },
  /** Tokens that a draft model or MTP heads predict ahead. */
  draft_num_predict: { kind: "integer", when: "load" },
  num_keep: { kind: "integer", when: "run" },
  seed: { kind: "integer", when: "run" },
  num_predict: { kind: "integer", when: "run" },
  /** Our addition: most tokens of thinking; 0 turns it off, -1 is no limit. */
  reasoning_budget: { kind: "integer", when: "run" },
  top_k: { kind: "integer", when: "run" },
  top_p: { kind: "number", when: "run" },
  min_p: { kind: "number", when: "run" },
  typical_p: { kind: "number", when: "run" },
  repeat_last_n: { kind: "integer", when: "run" },
  temperature: { kind: "number", when: "run" },
  repeat_penalty: { kind: "number", when: "run" },
  presence_penalty: { kind: "number", when: "run" },
  frequency_penalty: { kind: "number", when: "run" },
  stop: { kind: "strings", when: "run" },
} as const satisfies Record<string, { kind: ParameterKind; when: "load" | "run" }>;

export type ModelParameters = {
  -readonly [Name in keyof typeof parameterKinds]?: KindValues[(typeof parameterKinds)[Name]["kind"]];
};

export type ParameterName = keyof ModelParameters;

export function isCacheType(value: unknown): value is CacheType {
  return cacheTypes.some((type) => type === value);
}

export function isSplitMode(value: unknown): value is SplitMode {
  return splitModes.some((mode) => mode === value);
}

export function isSpecType(value: unknown): value is SpecType {
  return specTypes.some((type) => type === value);
}

const sharesPattern = /^\d+(\.\d+)?(,\d+(\.\d+)?)*$/;

/** Returns true for positive numbers separated by commas, at least one of them above 0. */
export function isShares(value: unknown): value is string {
  return typeof value === "string" && sharesPattern.test(value) && /[1-9]/.test(value);
}

export function isParameterName(name: string): name is ParameterName {
  return Object.hasOwn(parameterKinds, name);
}

/** Obsolete parameters: accepted in a Modelfile with a warning, without effect. */
export const removedParameters: ReadonlySet<string> = new Set([
  "embedding_only",
  "f16_kv",
  "logits_all",
  "low_vram",
  "mirostat",
  "mirostat_eta",
  "mirostat_tau",
  "num_gqa",
  "numa",
  "penalize_newline",
  "rope_frequency_base",
  "rope_frequency_scale",
  "tfs_z",
  "use_mlock",
  "vocab_only",
]);
