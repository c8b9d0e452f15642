// Embeddings of texts, in a separate context window beside the one for answers.
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { EmbeddingInput, EmbeddingOutput } from "../generation.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import type { Addon, AddonContext, AddonModel } from "./addon.ts";
import { ThreadGovernor } from "./thread-governor.ts";

/** A text is computed in one step, so this is the longest text that takes no extra memory. */
const usualWindow = 2048;
/** llama.cpp's number of word-piece vocabularies (BERT). */
const wordPieces = 3;

export class Embedder {
  readonly #addon: Addon;
  readonly #model: AddonModel;
  readonly #settings: LoadSettings;
  readonly #threads: ThreadGovernor;
  #context: AddonContext | undefined;
  #window = 0;
  /** Last text in the queue; texts are computed one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(addon: Addon, model: AddonModel, settings: LoadSettings) {
    this.#addon = addon;
    this.#model = model;
    this.#settings = settings;
    this.#threads = new ThreadGovernor(settings.threads ?? addon.getMathCores());
  }

  /**
   * @param tokensOf returns the tokens of a text, with the begin-of-text token if the model wants one;
   *   the end token is added here, since prompts have none
   * @returns one vector for each text as the model returns it, not normalised
   * @throws ProductError `ENGINE_PROMPT_TOO_LONG`, `ENGINE_OUT_OF_MEMORY`, `ENGINE_DECODE_FAILED`
   */
  async embed(
    input: EmbeddingInput,
    tokensOf: (text: string) => number[],
  ): Promise<EmbeddingOutput> {
    const texts = input.texts.map((text, index) =>
      typeof text === "string"
        ? this.#fit(tokensOf(text), this.#endToken, input, index)
        : this.#fit(text, undefined, input, index),
    );
    const vectors: number[][] = [];
    for (const tokens of texts) vectors.push(await this.#inTurn(() => this.#vectorOf(tokens)));
    return { vectors, tokenCounts: texts.map(({ length }) => length) };
  }

  /** Lets requests take turns: each has one text in the queue at a time. */
  async #inTurn(work: () => Promise<number[]>): Promise<number[]> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {}); // the request itself gets the error
    return await turn;
  }

  /** Token that the model wants at the end of a text, as llama.cpp adds it. */
  get #endToken(): number | undefined {
    const model = this.#model;
    const isBert = model.getVocabularyType() === wordPieces;
    const end = isBert ? model.sepToken() : model.shouldAppendEosToken() ? model.tokenEos() : -1;
    return end < 0 ? undefined : end;
  }

  #fit(
    tokens: number[],
    endToken: number | undefined,
    { truncate, windowTokens }: EmbeddingInput,
    index: number,
  ): number[] {
    const trained = Math.max(1, this.#settings.trainedContextLength);
    const most = Math.min(trained, windowTokens ?? trained);
    const end = endToken === undefined || tokens.at(-1) === endToken ? [] : [endToken];
    const whole = tokens.length + end.length === 0 ? [this.#anyToken] : [...tokens, ...end];
    if (whole.length <= most) return whole;
    if (!truncate) throw tooLong(index, whole.length, { trained, most });
    // Keeps the tokens that begin and end every text.
    const begin = tokens[0] === this.#model.tokenBos() ? 1 : 0;
    if (most <= begin + end.length) throw nothingLeft(index, most);
    return [...whole.slice(0, most - end.length), ...end];
  }

  /** Token that replaces an empty text. */
  get #anyToken(): number {
    return Math.max(0, this.#model.tokenEos());
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
        message: `Not enough memory to create the embedding of a text of ${tokens} tokens.`,
        hint: "Send shorter texts, or close other programs.",
      });
    }
    this.#context = context;
    this.#window = window;
    return context;
  }
}

/** Uses the wording that Ollama's clients look for; so does `nothingLeft`. */
function tooLong(
  index: number,
  length: number,
  { trained, most }: { trained: number; most: number },
): ProductError {
  const limit = most < trained ? `num_ctx allows ${most}` : `the model was trained for ${trained}`;
  return new ProductError(engineErrors.promptTooLong, {
    message:
      `the input length exceeds the context length: text ${index + 1} is ${length} tokens ` +
      `long, ${limit}.`,
    hint: "Shorten the text, split it, or send truncate: true.",
    param: "input",
  });
}

function nothingLeft(index: number, most: number): ProductError {
  return new ProductError(engineErrors.promptTooLong, {
    message:
      `input after truncation exceeds maximum context length: a num_ctx of ${most} leaves no room ` +
      `for text ${index + 1}.`,
    hint: "Raise num_ctx, or leave it out.",
    param: "options.num_ctx",
  });
}
