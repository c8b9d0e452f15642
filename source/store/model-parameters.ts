// Parameters of a model: `options` in the native API, PARAMETER in a Modelfile.

/** Number formats of a context window, the largest first. */
export const cacheTypes = ["f16", "q8_0", "q4_0"] as const;

export interface ModelParameters {
  num_ctx?: number;
  num_batch?: number;
  num_gpu?: number;
  main_gpu?: number;
  use_mmap?: boolean;
  num_thread?: number;
  /** Our addition: type of the KV cache. */
  kv_cache_type?: (typeof cacheTypes)[number];
  /** Tokens that a draft model predicts ahead. */
  draft_num_predict?: number;
  num_keep?: number;
  seed?: number;
  num_predict?: number;
  top_k?: number;
  top_p?: number;
  min_p?: number;
  typical_p?: number;
  repeat_last_n?: number;
  temperature?: number;
  repeat_penalty?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  stop?: string[];
}

export type ParameterKind = "integer" | "number" | "boolean" | "strings" | "cache type";

/** Kind of each parameter; `load` ones take effect when the model is loaded. */
export const parameterKinds: Record<
  keyof ModelParameters,
  { kind: ParameterKind; when: "load" | "run" }
> = {
  num_ctx: { kind: "integer", when: "load" },
  num_batch: { kind: "integer", when: "load" },
  num_gpu: { kind: "integer", when: "load" },
  main_gpu: { kind: "integer", when: "load" },
  use_mmap: { kind: "boolean", when: "load" },
  num_thread: { kind: "integer", when: "load" },
  kv_cache_type: { kind: "cache type", when: "load" },
  draft_num_predict: { kind: "integer", when: "load" },
  num_keep: { kind: "integer", when: "run" },
  seed: { kind: "integer", when: "run" },
  num_predict: { kind: "integer", when: "run" },
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
};

export type ParameterName = keyof ModelParameters;

export function isCacheType(value: unknown): value is (typeof cacheTypes)[number] {
  return cacheTypes.some((type) => type === value);
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
