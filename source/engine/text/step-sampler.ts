// Sampling after a decode: one sampler for each job, and the model's own probabilities for jobs that
// request them.
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { GenerationRequest } from "../generation.ts";
import type {
  Addon,
  AddonContext,
  AddonGrammar,
  AddonGrammarEvaluationState,
  AddonModel,
  AddonSampler,
} from "./addon.ts";
import type { Job, SampledToken } from "./job.ts";
import { grammarOf } from "./mark-watcher.ts";
import type { BatchItem } from "./plan-batch.ts";
import {
  createNeutralSampler,
  createSampler,
  readLogprob,
  type SamplerOptions,
  samplerConfiguration,
} from "./samplers.ts";
import type { TokenBytes } from "./token-bytes.ts";

/** Part of a batch with the logits to sample from and the sampled tokens. */
export interface SampledItem extends BatchItem {
  indexes: Uint32Array;
  sampled: SampledToken[];
  /** Ends only this request; the others' samples are valid. */
  failure?: ProductError;
}

export interface StepSamplerOptions {
  addon: Addon;
  model: AddonModel;
  context: AddonContext;
  tokenBytes: TokenBytes;
  vocabularySize: number;
  /** Window of one slot, in tokens. */
  contextLength: number;
}

const maxCachedGrammars = 16;
/** Time that a grammar may take for each token, and by how much recent tokens may exceed it in total. */
export const grammarLimitMs = { perToken: 100, excess: 1000 };

/**
 * Returns the milliseconds by which recent tokens exceed the time of a grammar. Fast tokens reduce the
 * excess of earlier ones but save up no time for later ones.
 */
export function grammarExcess(beforeMs: number, tookMs: number): number {
  return Math.max(0, beforeMs + tookMs - grammarLimitMs.perToken);
}

/** Ends an answer after which its grammar allows nothing more; not a token of the model. */
const endOfGrammar: SampledToken = { token: -1, bytes: new Uint8Array(), isEnd: true };

export class StepSampler {
  readonly #options: StepSamplerOptions;
  readonly #grammars = new Map<string, AddonGrammar>();
  #neutral: AddonSampler | undefined;
  #endTokens: number[] | undefined;

  constructor(options: StepSamplerOptions) {
    this.#options = options;
  }

  /**
   * Creates missing samplers for a step. Called while the step computes: with a vocabulary of 262,144
   * tokens each takes 2.4 ms.
   */
  prepare(items: readonly SampledItem[]): void {
    for (const item of items) {
      if (item.indexes.length === 0 || item.job.sampler !== undefined) continue;
      try {
        item.job.sampler = this.#createFor(item.job);
      } catch (error) {
        item.failure = samplerMissing(error);
      }
    }
  }

  #createFor(job: Job): AddonSampler {
    const { addon, model } = this.#options;
    const { request, promptTokens } = job;
    job.grammar = request.grammar === undefined ? undefined : this.#stateOf(request.grammar);
    return createSampler(addon, model, this.#samplerOptions(request, promptTokens, job.grammar));
  }

  #samplerOptions(
    request: GenerationRequest,
    earlierTokens: readonly number[],
    grammar: AddonGrammarEvaluationState | undefined,
  ): SamplerOptions {
    const { contextLength } = this.#options;
    const forbidden = request.ignoreEndOfText ? this.#allEndTokens() : [];
    return { parameters: request.sampling, earlierTokens, forbidden, contextLength, grammar };
  }

  /**
   * Awaits the first sample alone, since it reorders the batch's logits in place without a lock.
   * Afterwards the sequences are independent of each other.
   */
  async sample(items: readonly SampledItem[]): Promise<void> {
    const [first, ...rest] = items.filter((item) => item.indexes.length > 0);
    if (first === undefined) return;
    await this.#sampleItem(first);
    if ([first, ...rest].every(({ job }) => job.request.topLogprobs === undefined)) {
      // Waits for all before throwing: a sampler in use must not be disposed of.
      const results = await Promise.allSettled(rest.map((item) => this.#sampleItem(item)));
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      return;
    }
    // The neutral sampler is shared, so items are sampled one by one.
    for (const item of rest) await this.#sampleItem(item);
  }

  /** Samples along a draft as long as the model agrees with it. */
  async #sampleItem(item: SampledItem): Promise<void> {
    const { job, indexes, tokens, sampled } = item;
    const { context, model, tokenBytes } = this.#options;
    const { sampler, request } = job;
    if (sampler === undefined) return;
    for (const [position, index] of indexes.entries()) {
      const started = performance.now();
      const isHeld = request.grammar !== undefined || request.lazy !== undefined;
      const forced = this.#forcedToken(job);
      const isForced = forced !== undefined;
      let token: number;
      try {
        token = forced ?? (await context.sampleToken(index, sampler));
        if (token < 0) throw new Error("the sampler left no token to choose from");
      } catch (error) {
        if (!isHeld) throw error;
        // No token fits the grammar: the logits are valid, and so are the samples of others.
        if (this.#isGrammarOver(item)) sampled.push(endOfGrammar);
        else item.failure = grammarDeadEnd(error, job.generated + sampled.length);
        break;
      }
      const tookMs = performance.now() - started;
      const isEnd = !isForced && model.isEogToken(token);
      const choice: SampledToken = {
        token,
        bytes: tokenBytes.of(token, request.visibleControlTexts),
        isEnd,
      };
      if (request.topLogprobs !== undefined) {
        choice.logprob = await this.#logprob(index, token, request.topLogprobs);
      }
      sampled.push(choice);
      job.thinking?.push(choice.bytes);
      this.#watch(job, choice.bytes, token);
      // llama.cpp cannot be interrupted, but its grammars slow down gradually.
      if (isHeld) {
        job.grammarExcessMs = grammarExcess(job.grammarExcessMs, tookMs);
        if (job.grammarExcessMs > grammarLimitMs.excess) item.failure = grammarTooSlow(tookMs);
      }
      if (item.failure !== undefined || isEnd || token !== tokens[position + 1]) break;
    }
  }

  /** Returns the next token of the text that closes the thinking, if that is due. */
  #forcedToken(job: Job): number | undefined {
    const { addon, model } = this.#options;
    if (job.thinking?.isUsedUp) {
      job.forced = [...model.tokenize(job.thinking.closing, true)];
      job.thinking = undefined;
    }
    const token = job.forced.shift();
    if (token === undefined || job.grammar === undefined) return token;
    const { AddonSampler } = addon;
    if (!AddonSampler.canBeNextTokenForGrammarEvaluationState(job.grammar, token)) {
      // The grammar spells the closing tag in its own way.
      job.forced = [];
      return undefined;
    }
    AddonSampler.acceptGrammarEvaluationStateToken(job.grammar, token);
    return token;
  }

  /** Returns true if the answer is complete, for requests that forbid end tokens. */
  #isGrammarOver({ slot, job, tokens, sampled }: SampledItem): boolean {
    const { addon } = this.#options;
    const [end] = this.#allEndTokens();
    if (job.request.grammar === undefined || end === undefined) return false;
    const earlier = job.generated === 0 ? [] : slot.tokens.slice(job.promptTokens.length);
    const latest = job.generated === 0 ? [] : tokens.slice(0, 1);
    const state = this.#stateOf(job.request.grammar);
    const isNext = (token: number) =>
      addon.AddonSampler.canBeNextTokenForGrammarEvaluationState(state, token);
    for (const token of [...earlier, ...latest, ...sampled.map((each) => each.token)]) {
      if (!isNext(token)) return false;
      addon.AddonSampler.acceptGrammarEvaluationStateToken(state, token);
    }
    return isNext(end);
  }

  async #logprob(index: number, token: number, top: number) {
    const { addon, model, context, tokenBytes } = this.#options;
    this.#neutral ??= createNeutralSampler(addon, model);
    return await readLogprob(context, index, this.#neutral, token, top, tokenBytes);
  }

  /** Applies a grammar once the answer has written its mark. */
  #watch(job: Job, bytes: Uint8Array, token: number): void {
    const found = job.watcher?.push(bytes, token);
    if (found === undefined || job.sampler === undefined) return;
    const { request, promptTokens } = job;
    const answered = job.watcher?.tokens ?? [];
    job.watcher = undefined;
    const grammar = grammarOf(found);
    if (grammar === undefined) return;
    const state = this.#stateOf(grammar);
    // Text that does not fit is no call: the answer stays unconstrained.
    if (!this.#accept(state, found.behind)) return;
    const options = this.#samplerOptions(request, [...promptTokens, ...answered], state);
    job.sampler.applyConfig(samplerConfiguration(options));
  }

  /** Advances a grammar by a text. Returns false if it does not fit, or no tokens spell it. */
  #accept(state: AddonGrammarEvaluationState, text: string): boolean {
    // Every grammar allows white space after its mark.
    if (text.trim() === "") return true;
    const { addon, model, tokenBytes } = this.#options;
    const tokens = model.tokenize(text, false);
    const spelled = Buffer.concat([...tokens].map((token) => tokenBytes.of(token)));
    if (spelled.toString() !== text) return false;
    for (const token of tokens) {
      if (!addon.AddonSampler.canBeNextTokenForGrammarEvaluationState(state, token)) return false;
      addon.AddonSampler.acceptGrammarEvaluationStateToken(state, token);
    }
    return true;
  }

  #stateOf(gbnf: string): AddonGrammarEvaluationState {
    const { addon, model } = this.#options;
    return new addon.AddonGrammarEvaluationState(model, this.#grammarFor(gbnf));
  }

  /** @throws ProductError `ENGINE_GRAMMAR_INVALID` */
  checkGrammar(gbnf: string): void {
    try {
      this.#grammarFor(gbnf);
    } catch (error) {
      throw new ProductError(engineErrors.grammarInvalid, {
        message:
          "The grammar is not valid GBNF: it has a syntax error, an undefined rule, or a rule that begins " +
          "with itself.",
        hint: "Correct the grammar.",
        cause: error,
      });
    }
  }

  /** Caches grammars: parsing a large one takes a while, and clients often send the same one again. */
  #grammarFor(gbnf: string): AddonGrammar {
    const known = this.#grammars.get(gbnf);
    if (known !== undefined) return known;
    const { addon } = this.#options;
    const grammar = new addon.AddonGrammar(gbnf, { addonExports: addon });
    if (this.#grammars.size >= maxCachedGrammars) this.#grammars.clear();
    this.#grammars.set(gbnf, grammar);
    return grammar;
  }

  #allEndTokens(): number[] {
    if (this.#endTokens !== undefined) return this.#endTokens;
    const { model, vocabularySize } = this.#options;
    const found: number[] = [];
    for (let token = 0; token < vocabularySize; token += 1) {
      if (model.isEogToken(token)) found.push(token);
    }
    this.#endTokens = found;
    return found;
  }
}

function samplerMissing(error: unknown): ProductError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ProductError(engineErrors.decodeFailed, {
    message: `The engine failed to start this answer: ${reason}.`,
    hint: "Try again.",
    cause: error,
  });
}

function grammarTooSlow(tookMs: number): ProductError {
  const seconds = (tookMs / 1000).toFixed(1);
  return new ProductError(engineErrors.grammarTooSlow, {
    message: `Following the schema's grammar is too slow: the last token took ${seconds} s.`,
    hint: "Simplify the schema: fewer alternatives that begin alike, fewer optional parts in patterns.",
  });
}

function grammarDeadEnd(cause: unknown, tokens: number): ProductError {
  return new ProductError(engineErrors.grammarDeadEnd, {
    message: `No token of the model fits the grammar after ${tokens} tokens of the answer.`,
    hint: "Correct the grammar, the schema or logit_bias: the model cannot write what they demand.",
    cause,
  });
}
