// A model and its projector in the binding: opening them, and their facts.
import { statSync } from "node:fs";
import os from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { RunnerFacts } from "../generation.ts";
import type { LoadSettings, VisionSettings } from "../runner/load-settings.ts";
import { randomSeed } from "../text/samplers.ts";
import {
  type BindingContext,
  type BindingOptions,
  type CompletionOptions,
  imageMark,
  isSlowOn,
  type OpenedBinding,
  openBinding,
  readVocabulary,
  type Vocabulary,
} from "./binding.ts";
import type { CountedPrompt, VisionJob } from "./vision-job.ts";

/** Free space to leave on the card for the window, the projector's buffers and other programs. */
const reserveBytes = 1.5 * 1024 ** 3;
/** Smallest possible image; it shows if prompts begin with a begin-of-text token. */
const onePixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Grammar for any text without end: the binding has no other way to ignore the end token. */
const endlessGrammar = "root ::= [\\x00-\\U0010FFFF] root";

export class VisionModel {
  readonly facts: RunnerFacts;
  readonly vocabulary: Vocabulary;
  /** Token that the binding adds in front of every prompt. */
  readonly begin: number | undefined;
  readonly #open: () => BindingContext;
  #context: BindingContext;

  private constructor(
    opened: Pick<VisionModel, "facts" | "vocabulary" | "begin">,
    context: BindingContext,
    open: () => BindingContext,
  ) {
    this.facts = opened.facts;
    this.vocabulary = opened.vocabulary;
    this.begin = opened.begin;
    this.#context = context;
    this.#open = open;
  }

  get context(): BindingContext {
    return this.#context;
  }

  /**
   * @throws ProductError `ENGINE_DEVICE_UNAVAILABLE`, `ENGINE_LOAD_FAILED`,
   *   `ENGINE_PROJECTOR_UNUSABLE`
   */
  static async load(settings: LoadSettings, vision: VisionSettings): Promise<VisionModel> {
    const began = performance.now();
    const opened = openBinding(settings.device);
    const deviceMs = performance.now() - began;
    const layers = gpuLayers(opened, settings, vision);
    const open = () => openContext(opened, settings, vision, layers);
    const context = open();
    const vocabulary = readVocabulary(opened.binding, settings.modelPath);
    const { tokens } = await context.tokenize(imageMark, [onePixel]);
    const facts = factsOf(context, opened, settings, vision, layers, vocabulary);
    facts.loadPhases = {
      process: began,
      device: deviceMs,
      weights: performance.now() - began - deviceMs,
      context: 0,
    };
    const begin = (tokens[0] ?? -1) >= 0 && tokens[0] === vocabulary.bos ? tokens[0] : undefined;
    return new VisionModel({ facts, vocabulary, begin }, context, open);
  }

  /** Recreates the context, since the binding accepts no request after an error. */
  async reopen(): Promise<void> {
    await this.#context.release();
    // The binding frees its memory on another thread.
    await wait(0);
    this.#context = this.#open();
  }

  completionOptions(job: VisionJob, prompt: CountedPrompt): CompletionOptions {
    const { request, grammar, tokensLeft } = job;
    const { sampling, ignoreEndOfText } = request;
    const isGreedy = sampling.temperature <= 0;
    return {
      prompt: prompt.text,
      ...(prompt.media.length > 0 && { media_paths: prompt.media }),
      n_predict: tokensLeft,
      temperature: Math.max(0, sampling.temperature),
      top_k: isGreedy ? 1 : sampling.topK,
      top_p: isGreedy ? 1 : sampling.topP,
      min_p: isGreedy ? 0 : sampling.minP,
      penalty_last_n: sampling.repeatLastN,
      penalty_repeat: sampling.repeatPenalty,
      penalty_freq: sampling.frequencyPenalty,
      penalty_present: sampling.presencePenalty,
      // The binding's default sometimes discards the best token.
      xtc_probability: 0,
      dry_multiplier: 0,
      // The binding reads a signed 32-bit number.
      seed: (sampling.seed ?? randomSeed()) | 0,
      ...(grammar !== undefined && { grammar }),
      ...(ignoreEndOfText && { grammar: endlessGrammar }),
    };
  }
}

function openContext(
  { binding, kind }: OpenedBinding,
  settings: LoadSettings,
  { projectorPath }: VisionSettings,
  layers: number,
): BindingContext {
  const { flashAttention } = settings;
  const options: BindingOptions = {
    model: settings.modelPath,
    n_ctx: settings.contextLength,
    n_batch: settings.batchSize,
    n_ubatch: settings.batchSize,
    n_threads: settings.threads ?? Math.max(1, Math.ceil(os.availableParallelism() / 2)),
    n_gpu_layers: layers,
    n_parallel: 1,
    flash_attn_type: flashAttention === "auto" ? "auto" : flashAttention ? "on" : "off",
    cache_type_k: settings.kvCacheType,
    cache_type_v: settings.kvCacheType,
    use_mmap: settings.useMmap,
    ctx_shift: false,
    lora_list: settings.adapters.map((path) => ({ path, scaled: 1 })),
  };
  let context: BindingContext;
  try {
    context = new binding.LlamaContext(options);
  } catch (error) {
    throw new ProductError(engineErrors.loadFailed, {
      message: `The vision engine refused ${settings.modelPath}: ${reasonOf(error)}.`,
      hint: "Run the server with --debug to see llama.cpp's reason in its log.",
      cause: error,
    });
  }
  try {
    context.initMultimodal({ path: projectorPath, use_gpu: kind !== "cpu" });
    if (context.getMultimodalSupport().vision) return context;
  } catch (error) {
    throw unusableProjector(projectorPath, "it is unreadable or belongs to another model", error);
  }
  throw unusableProjector(projectorPath, "it does not support images");
}

function unusableProjector(projectorPath: string, why: string, cause?: unknown): ProductError {
  return new ProductError(engineErrors.projectorUnusable, {
    message: `The projector ${projectorPath} cannot be used with this model: ${why}.`,
    hint: "Use the projector that was published with the model.",
    ...(cause !== undefined && { cause }),
  });
}

/** Guesses from the sizes of the files, since the binding cannot tell what a model will take. */
function gpuLayers(
  { binding, kind }: OpenedBinding,
  settings: LoadSettings,
  { projectorPath }: VisionSettings,
): number {
  const all = settings.layers + 1;
  if (kind === "cpu") return 0;
  if (settings.gpuLayers !== undefined) return Math.min(all, settings.gpuLayers);
  const devices: unknown = JSON.parse(binding.LlamaContext.getBackendDevicesInfo());
  const gpuBytes = (Array.isArray(devices) ? devices : [])
    .filter(({ type }) => type === "gpu")
    .reduce((sum, { maxMemorySize }) => sum + Number(maxMemorySize), 0);
  const free = gpuBytes - reserveBytes - sizeOf(projectorPath);
  const fitting = Math.floor((free / Math.max(1, sizeOf(settings.modelPath))) * all);
  return Math.max(0, Math.min(all, fitting));
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function factsOf(
  context: BindingContext,
  { kind, reason }: OpenedBinding,
  settings: LoadSettings,
  { projectorPath }: VisionSettings,
  layers: number,
  vocabulary: Vocabulary,
): RunnerFacts {
  const { desc, nParams, size } = context.getModelInfo();
  const totalLayers = settings.layers + 1;
  const share = kind === "cpu" ? 0 : layers / totalLayers;
  const bytes = size + sizeOf(projectorPath);
  const slow = isSlowOn(kind)
    ? " Images are read by a build without AVX, several times slower than this CPU allows: modelctl engine build --extension creates a fast one in a minute."
    : "";
  return {
    description: desc,
    contextLength: settings.contextLength,
    trainedContextLength: settings.trainedContextLength,
    slots: 1,
    parameters: nParams,
    memory: { ramBytes: bytes * (1 - share), vramBytes: bytes * share },
    device: {
      kind,
      names: context.getUsedDevices(),
      gpuLayers: layers,
      totalLayers,
      reason: `${reason}${slow}`,
    },
    warnings: [],
    bosText: vocabulary.bosText,
    eosText: vocabulary.eosText,
    controlTexts: vocabulary.controlTexts,
    processId: process.pid,
    loadPhases: { process: 0, device: 0, weights: 0, context: 0 },
  };
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
