// The text engine as a runner uses it: load once, then generate and cancel.
import { ProductError } from "../../base/product-error.ts";
import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import { engineErrors } from "../errors.ts";
import type { GenerationRequest, RunnerFacts } from "../generation.ts";
import type { CallOutput, RunnerCall } from "../runner/calls.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { BatchingLoop } from "./batching-loop.ts";
import { Embedder } from "./embedder.ts";
import type { LoopEvent } from "./job.ts";
import { type LoadedTextModel, type LoadObserver, loadTextModel } from "./load-text-model.ts";
import { PrefillPace } from "./prefill-pace.ts";
import { PrefixCopy } from "./prefix-copy.ts";
import { controlTextsOf, TokenBytes } from "./token-bytes.ts";

export interface EngineConnection extends LoadObserver {
  /** A step was launched or work ran out: send what was emitted. */
  flush(): void;
  /** Resolves when the receiver keeps up. */
  ready(): Promise<void>;
}

export class TextEngine {
  readonly facts: RunnerFacts;
  readonly #settings: LoadSettings;
  readonly #loaded: LoadedTextModel;
  readonly #loop: BatchingLoop;
  readonly #embedder: Embedder;
  readonly #prefixCopy: PrefixCopy | undefined;

  private constructor(
    settings: LoadSettings,
    loaded: LoadedTextModel,
    connection: EngineConnection,
  ) {
    this.#settings = settings;
    this.#loaded = loaded;
    const { addon, model, context } = loaded;
    this.#embedder = new Embedder(addon, model, settings);
    // Recurrent memory has no parts: neither a guess nor a longer prefix can be taken back.
    const forgets = canForget(loaded, settings.architecture);
    this.#prefixCopy =
      settings.prefixSharing && settings.slots > 1 && forgets
        ? PrefixCopy.create(context, settings.contextLength, (text) => connection.log(text))
        : undefined;
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
      policy: {
        batchSize: settings.batchSize,
        mixed: settings.mixedBatches,
        lookupTokens: forgets ? settings.lookupTokens : 0,
      },
      prefixCopy: this.#prefixCopy,
      maximumQueue: settings.maximumQueue,
      flush: () => connection.flush(),
      ready: () => connection.ready(),
      log: (text) => connection.log(text),
    });
    this.facts = factsOf(settings, loaded);
  }

  /** @throws ProductError, see `loadTextModel` */
  static async load(settings: LoadSettings, connection: EngineConnection): Promise<TextEngine> {
    const loaded = await loadTextModel(settings, connection);
    return new TextEngine(settings, loaded, connection);
  }

  /**
   * Starts a request; its events, the last being `done` or `failed`, go to `emit`.
   *
   * @throws ProductError `ENGINE_PROMPT_TOO_LONG`, `ENGINE_PROMPT_EMPTY`, `ENGINE_TOKEN_UNKNOWN`
   */
  generate(id: number, request: GenerationRequest, emit: (event: LoopEvent) => void): void {
    const tokens =
      "tokens" in request.prompt ? request.prompt.tokens : this.tokenize(request.prompt.segments);
    this.#check(tokens, request);
    this.#loop.submit(id, request, tokens, emit);
  }

  cancel(id: number): void {
    this.#loop.cancel(id);
  }

  /** @throws ProductError, see `Embedder` */
  async call({ name, input }: RunnerCall): Promise<CallOutput> {
    switch (name) {
      case "embed":
        return await this.#embedder.embed(input, (text) =>
          this.tokenize([{ text, special: false }]),
        );
      case "tokenize":
        return { tokens: this.tokenize(input.segments) };
      case "detokenize":
        this.#refuseUnknown(input.tokens);
        return { text: this.#loaded.model.detokenize(Uint32Array.from(input.tokens), true) };
    }
  }

  /** Tokens of a prompt, with the beginning-of-text token that the model wants, exactly once. */
  tokenize(segments: readonly PromptSegment[]): number[] {
    const { model } = this.#loaded;
    const tokens: number[] = [];
    for (const { text, special } of segments) {
      // Not push(...): a long prompt has more tokens than a call may have arguments.
      if (text !== "") for (const token of model.tokenize(text, special)) tokens.push(token);
    }
    const bos = model.tokenBos();
    if (model.shouldPrependBosToken() && bos >= 0 && tokens[0] !== bos) tokens.unshift(bos);
    return tokens;
  }

  close(): void {
    this.#prefixCopy?.close();
  }

  #check(tokens: readonly number[], request: GenerationRequest): void {
    const { contextLength, trainedContextLength } = this.#settings;
    if (tokens.length === 0) {
      throw new ProductError(engineErrors.promptEmpty, {
        message: "The prompt is empty: there is no token to start from.",
        hint: "Send some text.",
      });
    }
    if (tokens.length >= contextLength) {
      throw new ProductError(engineErrors.promptTooLong, {
        message:
          `The prompt is ${tokens.length} tokens long, but the context window holds ` +
          `${contextLength}, and at least one must be left for the answer.`,
        hint:
          contextLength < trainedContextLength
            ? `Shorten the prompt, or raise num_ctx (MODELCTL_CONTEXT_LENGTH), up to ${trainedContextLength}.`
            : "Shorten the prompt; num_ctx is as large as the model was trained for.",
      });
    }
    this.#refuseUnknown([...tokens, ...request.sampling.logitBias.map(([token]) => token)]);
  }

  #refuseUnknown(tokens: readonly number[]): void {
    const { vocabularySize } = this.#settings;
    const unknown = tokens.find((token) => token < 0 || token >= vocabularySize);
    if (unknown === undefined) return;
    throw new ProductError(engineErrors.tokenUnknown, {
      message: `Token ${unknown} does not exist: the model's vocabulary has ${vocabularySize} tokens, from 0.`,
    });
  }
}

function canForget({ addon }: LoadedTextModel, architecture: string): boolean {
  return !addon.getIsArchRecurrent(architecture) && !addon.getIsArchHybrid(architecture);
}

function factsOf(settings: LoadSettings, loaded: LoadedTextModel): RunnerFacts {
  const { model, context, device } = loaded;
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
      ramBytes: weights.cpuRam + window.cpuRam,
      vramBytes: weights.gpuVram + window.gpuVram,
    },
    device,
    bosText: textOf(model.tokenBos()),
    eosText: textOf(model.tokenEos()),
    controlTexts: controlTextsOf(model, settings.vocabularySize),
    processId: process.pid,
    loadPhases: loaded.phases,
  };
}
