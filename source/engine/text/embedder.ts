// Embeddings and ranks of texts, in a separate context window beside the one for answers.
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { EmbeddingInput, EmbeddingOutput, RankInput, RankOutput } from "../generation.ts";
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

  /**
   * Scores how well each document fits the query; only for models with a classification head.
   *
   * @throws ProductError as `embed`
   */
  async rank(input: RankInput): Promise<RankOutput> {
    const pairs = input.documents.map((document, index) => this.#pair(input, document, index));
    const scores: number[] = [];
    for (const tokens of pairs) {
      const [score = Number.NaN] = await this.#inTurn(() => this.#vectorOf(tokens, "rank"));
      scores.push(score);
    }
    return { scores, tokenCounts: pairs.map(({ length }) => length) };
  }

  /** Control tokens come from the template and from the model, never from the texts. */
  #pair({ query, template, truncate }: RankInput, document: string, index: number): number[] {
    const asked = this.#tokensOf(query);
    const found = this.#tokensOf(document);
    const frame = template === undefined ? this.#pairFrame : this.#templateFrame(template);
    const taken = frame.reduce(
      (sum, part) =>
        sum + (part === "query" ? asked.length : Array.isArray(part) ? part.length : 0),
      0,
    );
    const trained = Math.max(1, this.#settings.trainedContextLength);
    const room = trained - taken;
    if (found.length > room && (!truncate || room < 1)) {
      throw pairTooLong(index, taken + found.length, trained);
    }
    const kept = found.slice(0, room);
    return frame.flatMap((part) => (part === "query" ? asked : part === "document" ? kept : part));
  }

  /**
   * Tokens around a plain pair: `[CLS] query [SEP] document [SEP]` for BERT, else begin, query, end,
   * separator, document, end, each if the model has it. Source: llama.cpp, format_prompt_rerank.
   */
  get #pairFrame(): PairFrame {
    const model = this.#model;
    const isBert = model.getVocabularyType() === wordPieces;
    const some = (token: number) => (token < 0 ? [] : [token]);
    const separator = some(model.sepToken());
    const end = isBert ? separator : some(model.tokenEos());
    const begin = isBert || model.shouldPrependBosToken() ? some(model.tokenBos()) : [];
    const between = isBert ? separator : [...end, ...separator];
    return [begin, "query", between, "document", end];
  }

  #templateFrame(template: string): PairFrame {
    return template
      .split(/(\{query\}|\{document\})/)
      .map((part) =>
        part === "{query}"
          ? "query"
          : part === "{document}"
            ? "document"
            : [...this.#model.tokenize(part, true)],
      );
  }

  #tokensOf(text: string): number[] {
    return [...this.#model.tokenize(text, false)];
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

  async #vectorOf(
    tokens: readonly number[],
    kind: "embedding" | "rank" = "embedding",
  ): Promise<number[]> {
    const context = await this.#contextFor(tokens.length, kind);
    context.disposeSequence(0);
    context.initBatch(tokens.length);
    const all = Uint32Array.from(tokens, (_, index) => index);
    context.addToBatch(0, 0, Uint32Array.from(tokens), all);
    const threads = this.#threads.choose(tokens.length);
    if (threads !== context.getThreads()) context.setThreads(threads);
    const started = performance.now();
    await context.decodeBatch();
    this.#threads.note(tokens.length, threads, performance.now() - started);
    return [...context.getEmbedding(tokens.length, kind === "rank" ? 1 : undefined)];
  }

  /** A model is asked for one kind only. */
  async #contextFor(tokens: number, kind: "embedding" | "rank"): Promise<AddonContext> {
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
      ranking: kind === "rank",
      flashAttention: this.#settings.flashAttention,
      threads: this.#settings.threads ?? this.#addon.getMathCores(),
    });
    if (!(await context.init())) {
      throw new ProductError(engineErrors.outOfMemory, {
        message: `Not enough memory to create the ${kind} of a text of ${tokens} tokens.`,
        hint: "Send shorter texts, or close other programs.",
      });
    }
    this.#context = context;
    this.#window = window;
    return context;
  }
}

/** Tokens of a pair, with the places of its texts. */
type PairFrame = ReadonlyArray<number[] | "query" | "document">;

function pairTooLong(index: number, length: number, trained: number): ProductError {
  return new ProductError(engineErrors.promptTooLong, {
    message:
      `the input length exceeds the context length: the query and document ${index + 1} are ${length} ` +
      `tokens long, the model was trained for ${trained}.`,
    hint: "Shorten the texts, split the document, or send truncate: true.",
    param: "documents",
  });
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
