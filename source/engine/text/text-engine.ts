// Text engine of a runner: loads once, then generates and cancels.
import { ProductError } from "../../base/product-error.ts";
import { checkLength, checkNamedTokens, promptTooLong, refuseUnknown } from "../check-request.ts";
import { engineErrors } from "../errors.ts";
import type { GenerationRequest, MarkedPrompt, RunnerFacts } from "../generation.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import type { CallOutput, RunnerCall } from "../runner/protocol.ts";
import type { AddonModel } from "./addon.ts";
import { BatchingLoop, type LoopOptions } from "./batching-loop.ts";
import { checkpointBudget, conversationBudget, memoryKindOf } from "./context-options.ts";
import { Embedder } from "./embedder.ts";
import type { ImageReader } from "./engine-extension.ts";
import { openImageReader } from "./image-reader.ts";
import { ImageTokens } from "./image-tokens.ts";
import { failedEvent, type LoopEvent, type PromptTokens } from "./job.ts";
import { type LoadedTextModel, type LoadObserver, loadTextModel } from "./load-text-model.ts";
import { fillerWeightsLimitBytes } from "./lone-rows.ts";
import { MemoryFolder } from "./memory-folder.ts";
import { PictureReader } from "./picture-reader.ts";
import { PrefillPace } from "./prefill-pace.ts";
import { PrefixCopy } from "./prefix-copy.ts";
import { usablePrefix } from "./prompt-file-names.ts";
import { PromptFolder } from "./prompt-folder.ts";
import { PromptReader } from "./prompt-reader.ts";
import { SavedStates } from "./saved-states.ts";
import type { SequenceMemory } from "./sequence-memory.ts";
import { StoredPrompts } from "./stored-prompts.ts";
import { controlTextsOf, TokenBytes } from "./token-bytes.ts";

export interface EngineConnection extends LoadObserver {
  /** Called with a line that the user should see. */
  warn(text: string): void;
  /** Called when a step was launched or no work is left, to send the emitted events. */
  flush(): void;
  /** Resolves when the receiver keeps up. */
  ready(): Promise<void>;
}

/** Max tokens to guess where the settings leave it open. */
const usualLookupTokens = 15;
/** Time limit for saving state when a model is unloaded. */
const finishMs = 2000;

export class TextEngine {
  readonly facts: RunnerFacts;
  readonly #settings: LoadSettings;
  readonly #loaded: LoadedTextModel;
  readonly #loop: BatchingLoop;
  readonly #embedder: Embedder;
  readonly #folder: MemoryFolder | undefined;
  readonly #prompts: PromptReader;
  readonly #flush: () => void;
  /** Requests whose images are being read. */
  readonly #readingImages = new Set<number>();

  private constructor(
    settings: LoadSettings,
    loaded: LoadedTextModel,
    connection: EngineConnection,
    storedPrompts: StoredPrompts | undefined,
  ) {
    this.#settings = settings;
    this.#loaded = loaded;
    this.#flush = () => connection.flush();
    const { addon, model, context } = loaded;
    const images = new ImageTokens();
    const pictures = new PictureReader(() => openProjector(settings, loaded), images);
    this.#prompts = new PromptReader(model, pictures);
    this.#embedder = new Embedder(addon, model, settings);
    const memoryKind = memoryKindOf(loaded, settings);
    // A recurrent model cannot take back a wrong guess.
    const forgets = !memoryKind.isRecurrent;
    const log = (text: string) => connection.log(text);
    this.#folder = settings.prefixSharing ? MemoryFolder.create(log) : undefined;
    this.#loop = new BatchingLoop({
      addon,
      model,
      context,
      tokenBytes: new TokenBytes(model),
      slots: settings.slots,
      contextLength: settings.contextLength,
      vocabularySize: settings.vocabularySize,
      prefillPace: new PrefillPace(settings.prefillChunk, settings.batchSize),
      threads: settings.threads ?? addon.getMathCores(),
      isOnCpu: loaded.device.gpuLayers === 0,
      draft: loaded.draft && {
        ...loaded.draft,
        sizeRatio: loaded.draft.activeBytes / Math.max(1, model.getTotalSize()),
      },
      policy: {
        batchSize: settings.batchSize,
        mixed: settings.mixedBatches,
        lookupTokens: forgets ? (settings.lookupTokens ?? usualLookup(model)) : 0,
        fillsLoneRows: forgets && model.getTotalSize() <= fillerWeightsLimitBytes,
      },
      prefixCopy:
        settings.slots > 1 && forgets && this.#folder !== undefined
          ? new PrefixCopy(context, settings.contextLength, this.#folder)
          : undefined,
      savedStates: this.#savedStates(context, log),
      storedPrompts,
      memoryKind,
      checkpointBytes: checkpointBudget(loaded),
      images,
      maxQueue: settings.maxQueue,
      flush: () => connection.flush(),
      ready: () => connection.ready(),
      log,
    });
    this.facts = factsOf(settings, loaded);
  }

  /** @throws ProductError, see `loadTextModel` */
  static async load(settings: LoadSettings, connection: EngineConnection): Promise<TextEngine> {
    const loaded = await loadTextModel(settings, connection);
    const stored = await openStoredPrompts(settings, loaded, (text) => connection.warn(text));
    return new TextEngine(settings, loaded, connection, stored);
  }

  /**
   * Starts a request; its events, the last being `done` or `failed`, go to `emit`.
   *
   * @throws ProductError `ENGINE_PROMPT_TOO_LONG`, `ENGINE_PROMPT_EMPTY`, `ENGINE_TOKEN_UNKNOWN`,
   *   `ENGINE_GRAMMAR_INVALID`
   */
  generate(id: number, request: GenerationRequest, emit: (event: LoopEvent) => void): void {
    const { prompt } = request;
    if ("tokens" in prompt) {
      this.#submit(id, request, { tokens: prompt.tokens }, emit);
      return;
    }
    this.#refuseTooLong(prompt);
    if ((prompt.images ?? []).length > 0) {
      void this.#generateWithImages(id, request, prompt, emit);
    } else {
      this.#submit(id, request, this.#prompts.readText(prompt.segments, prompt.earlier), emit);
    }
  }

  cancel(id: number): void {
    this.#loop.cancel(id);
    this.#readingImages.delete(id);
  }

  answerNow(id: number): void {
    this.#loop.answerNow(id);
  }

  /** @throws ProductError, see `Embedder` */
  async call({ name, input }: RunnerCall): Promise<CallOutput> {
    switch (name) {
      case "embed":
        return await this.#embedder.embed(
          input,
          (text) => this.#prompts.readText([{ text, special: false }]).tokens,
        );
      case "rank":
        return await this.#embedder.rank(input);
      case "tokenize":
        return { tokens: (await this.#prompts.read(input)).tokens };
      case "detokenize":
        refuseUnknown(input.tokens, this.#settings);
        return { text: this.#loaded.model.detokenize(Uint32Array.from(input.tokens), true) };
    }
  }

  /** Stores long prompts on disk, within a short time limit. */
  async finish(): Promise<void> {
    await this.#loop.finish(finishMs);
  }

  close(): void {
    this.#folder?.close();
  }

  #savedStates(
    context: LoadedTextModel["context"],
    log: (text: string) => void,
  ): LoopOptions["savedStates"] {
    const folder = this.#folder;
    const budgetBytes = this.#settings.conversationCacheBytes ?? conversationBudget();
    if (folder === undefined || budgetBytes === 0) return undefined;
    const windowTokens = this.#settings.contextLength;
    return (memory: SequenceMemory) =>
      new SavedStates({ context, memory, folder, budgetBytes, windowTokens, log });
  }

  /**
   * Refuses prompts of several windows without tokenising all of them. @throws ProductError
   * `ENGINE_PROMPT_TOO_LONG`
   */
  #refuseTooLong({ segments }: MarkedPrompt): void {
    const estimate = this.#prompts.estimateOver(4 * this.#settings.contextLength, segments);
    if (estimate === undefined) return;
    throw promptTooLong(Math.ceil(estimate), this.#settings, true);
  }

  /** Starts a request with images, which must be read before the prompt's length is known. */
  async #generateWithImages(
    id: number,
    request: GenerationRequest,
    prompt: MarkedPrompt,
    emit: (event: LoopEvent) => void,
  ): Promise<void> {
    this.#readingImages.add(id);
    try {
      const tokens = await this.#prompts.read(prompt);
      const isCancelled = !this.#readingImages.delete(id);
      this.#submit(id, request, tokens, emit);
      if (isCancelled) this.#loop.cancel(id);
    } catch (error) {
      this.#readingImages.delete(id);
      emit(failedEvent(error));
      this.#flush();
    }
  }

  #submit(
    id: number,
    request: GenerationRequest,
    prompt: PromptTokens,
    emit: (event: LoopEvent) => void,
  ): void {
    checkLength(prompt.tokens.length, this.#settings);
    checkNamedTokens(request, this.#settings);
    if (request.grammar !== undefined) this.#loop.checkGrammar(request.grammar);
    // A raw prompt may name an image at its end; chat templates never do.
    if ((prompt.images?.size ?? 0) > 0 && (prompt.tokens.at(-1) ?? 0) < 0) {
      throw new ProductError(engineErrors.promptEmpty, {
        message: "The prompt ends with an image: the model needs some text after it to start from.",
        hint: "Put some text after the image.",
      });
    }
    this.#loop.submit(id, request, prompt, emit);
  }
}

/**
 * Guesses change the last digits of probabilities, as any larger step does: small models, which give
 * the same answer in any batch, do without.
 */
function usualLookup(model: AddonModel): number {
  return model.getTotalSize() <= fillerWeightsLimitBytes ? 0 : usualLookupTokens;
}

async function openStoredPrompts(
  settings: LoadSettings,
  loaded: LoadedTextModel,
  warn: (text: string) => void,
): Promise<StoredPrompts | undefined> {
  const { promptCache, prefixSharing, modelPath, contextLength } = settings;
  if (promptCache === undefined || !prefixSharing) return undefined;
  const { folder, parts, model, ...limits } = promptCache;
  try {
    return await StoredPrompts.open({
      context: loaded.context,
      folder: new PromptFolder(folder),
      prefix: await usablePrefix(parts, settings, loaded),
      limits,
      windowTokens: contextLength,
      model: { name: model, path: modelPath },
      warn,
    });
  } catch (error) {
    warn(`prompts cannot be stored on disk: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/** Loads the projector when the first image arrives. */
async function openProjector(
  { vision, threads }: LoadSettings,
  { addon, model, binary }: LoadedTextModel,
): Promise<ImageReader> {
  if (vision === undefined) {
    throw new ProductError(engineErrors.capabilityMissing, {
      message: "The model was loaded without a projector and does not support images.",
      hint: "Leave the images out.",
    });
  }
  return await openImageReader(binary, model, {
    projectorPath: vision.projectorPath,
    threads: threads ?? addon.getMathCores(),
  });
}

function factsOf(settings: LoadSettings, loaded: LoadedTextModel): RunnerFacts {
  const { model, context, device, draft } = loaded;
  const weights = model.getMemoryBreakdown();
  const window = context.getMemoryBreakdown();
  const textOf = (token: number) => (token < 0 ? "" : model.getTokenString(token));
  return {
    description: model.getModelDescription(),
    contextLength: settings.contextLength,
    trainedContextLength: model.getTrainContextSize(),
    slots: settings.slots,
    parameters: model.getTotalParameters(),
    memory: {
      ramBytes: weights.cpuRam + window.cpuRam + (draft?.source.memory.cpuRam ?? 0),
      vramBytes: weights.gpuVram + window.gpuVram + (draft?.source.memory.gpuVram ?? 0),
    },
    device,
    ...(draft !== undefined && {
      draft: {
        name: draft.name,
        bytes: draft.source.memory.cpuRam + draft.source.memory.gpuVram,
      },
    }),
    warnings: loaded.warnings,
    bosText: textOf(model.tokenBos()),
    eosText: textOf(model.tokenEos()),
    controlTexts: controlTextsOf(model, settings.vocabularySize),
    processId: process.pid,
    loadPhases: loaded.phases,
  };
}
