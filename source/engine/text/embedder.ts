// Turns texts into vectors, in a context window of its own beside the one that writes answers.
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { EmbeddingInput, EmbeddingOutput } from "../generation.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import type { Addon, AddonContext, AddonModel } from "./addon.ts";
import { ThreadGovernor } from "./thread-governor.ts";

/** A text is computed in one step, so this is also the longest text that takes no extra memory. */
const usualWindow = 2048;

export class Embedder {
  readonly #addon: Addon;
  readonly #model: AddonModel;
  readonly #settings: LoadSettings;
  readonly #threads: ThreadGovernor;
  #context: AddonContext | undefined;
  #window = 0;
  /** One text after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(addon: Addon, model: AddonModel, settings: LoadSettings) {
    this.#addon = addon;
    this.#model = model;
    this.#settings = settings;
    this.#threads = new ThreadGovernor(settings.threads ?? addon.getMathCores());
  }

  /**
   * @param tokensOf tokens of a text, with the beginning-of-text token where the model wants one
   * @returns one vector for each text, as the model gives it: not normalised
   * @throws ProductError `ENGINE_PROMPT_TOO_LONG`, `ENGINE_OUT_OF_MEMORY`, `ENGINE_DECODE_FAILED`
   */
  async embed(
    input: EmbeddingInput,
    tokensOf: (text: string) => number[],
  ): Promise<EmbeddingOutput> {
    const texts = input.texts.map((text, index) =>
      this.#fit(typeof text === "string" ? tokensOf(text) : text, input, index),
    );
    const work = this.#last.then(async () => {
      const vectors: number[][] = [];
      for (const tokens of texts) vectors.push(await this.#vectorOf(tokens));
      return { vectors, tokenCounts: texts.map(({ length }) => length) };
    });
    this.#last = work.catch(() => {});
    return await work;
  }

  #fit(tokens: number[], { truncate }: EmbeddingInput, index: number): number[] {
    const most = Math.max(1, this.#settings.trainedContextLength);
    if (tokens.length === 0) {
      const end = this.#model.tokenEos();
      return end < 0 ? [0] : [end];
    }
    if (tokens.length <= most) return tokens;
    if (truncate) return tokens.slice(0, most);
    throw new ProductError(engineErrors.promptTooLong, {
      message:
        `the input length exceeds the context length: text ${index + 1} is ${tokens.length} tokens ` +
        `long, the model was trained for ${most}.`,
      hint: "Shorten the text, split it, or send truncate: true.",
      param: "input",
    });
  }

  async #vectorOf(tokens: readonly number[]): Promise<number[]> {
    const context = await this.#contextFor(tokens.length);
    context.disposeSequence(0);
    context.initBatch(tokens.length);
    const all = Uint32Array.from(tokens, (_, index) => index);
    context.addToBatch(0, 0, Uint32Array.from(tokens), all);
    const threads = this.#threads.choose(tokens.length);
    if (threads !== context.getThreads()) context.setThreads(threads);
    const started = performance.now();
    await context.decodeBatch();
    this.#threads.note(tokens.length, threads, performance.now() - started);
    return [...context.getEmbedding(tokens.length)];
  }

  async #contextFor(tokens: number): Promise<AddonContext> {
    if (this.#context !== undefined && tokens <= this.#window) return this.#context;
    await this.#context?.dispose();
    this.#context = undefined;
    const trained = this.#settings.trainedContextLength;
    let window = Math.min(usualWindow, trained);
    while (window < tokens) window = Math.min(trained, window * 2);
    const context = new this.#addon.AddonContext(this.#model, {
      contextSize: window,
      batchSize: window,
      sequences: 1,
      embeddings: true,
      flashAttention: this.#settings.flashAttention,
      threads: this.#settings.threads ?? this.#addon.getMathCores(),
    });
    if (!(await context.init())) {
      throw new ProductError(engineErrors.outOfMemory, {
        message: `There is not enough memory to turn a text of ${tokens} tokens into a vector.`,
        hint: "Send shorter texts, or close other programs.",
      });
    }
    this.#context = context;
    this.#window = window;
    return context;
  }
}
