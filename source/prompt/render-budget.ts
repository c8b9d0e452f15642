// Limits on the cost of rendering, so that a hostile or faulty template ends with an error.
import { BudgetFault } from "./template-fault.ts";

/** Limit of nested blocks and expressions in a template. */
export const deepestNesting = 200;
/** Limit of nested calls in a running template, and of nested values. */
export const deepestCalls = 200;

/** Longest source of a template in UTF-16 units; the longest known one has 17,000. */
export const longestSource = 1 << 16;
/** Most tokens of a template, which is parsed on a shared thread; known ones have up to 2,500. */
export const maxTokens = 1 << 13;
export interface RenderLimits {
  milliseconds: number;
  /** UTF-16 units of text that it may create. */
  characters: number;
  /** Items of lists and dictionaries that it may create. */
  items: number;
}

/** Limits for a shared thread. They are small, since a check of the clock cannot interrupt a function. */
export const quickLimits: RenderLimits = { milliseconds: 25, characters: 1 << 20, items: 100_000 };

/** Longest conversation in UTF-16 units that is rendered on a shared thread. */
export const longestQuickConversation = 1 << 18;

/** Default time limit of a template. */
export const defaultTimeoutMs = 5000;

/** Returns the limits for a thread that nobody waits for. */
export function fullLimits(milliseconds: number): RenderLimits {
  return { milliseconds, characters: 1 << 26, items: 2_000_000 };
}

/** Steps between two checks of the clock: some tens of microseconds. */
const stepsBetweenChecks = 256;
/** Characters that take about as long as a step. */
const charactersPerStep = 64;

/** Factor by which the slowest functions exceed a copy, per character. */
const slowFactor = 16;

/** Budget of one rendering. */
export class RenderBudget {
  readonly #limits: RenderLimits;
  readonly #end: number;
  #steps = 0;
  #characters = 0;
  #items = 0;

  constructor(limits: RenderLimits) {
    this.#limits = limits;
    this.#end = performance.now() + limits.milliseconds;
  }

  /** @throws BudgetFault when the template has run for too long */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps < stepsBetweenChecks) return;
    this.#steps = 0;
    if (performance.now() > this.#end) {
      throw new BudgetFault(`it takes longer than ${this.#limits.milliseconds / 1000} s`);
    }
  }

  /**
   * Called before text of that length is created.
   *
   * @throws BudgetFault
   */
  text(characters: number): void {
    this.#characters += characters;
    if (this.#characters > this.#limits.characters) {
      throw new BudgetFault(`it creates more than ${this.#limits.characters} characters of text`);
    }
    this.read(characters);
  }

  /** Called before a function that is slow per character changes a text of that length. */
  slowText(characters: number): void {
    this.text(characters * slowFactor);
  }

  /** Called before text of that length is searched or compared. */
  read(characters: number): void {
    if (characters >= charactersPerStep) this.step(Math.ceil(characters / charactersPerStep));
  }

  /** Called before a list or a dictionary of that length is created. */
  items(count: number): void {
    this.#items += count;
    if (this.#items > this.#limits.items) {
      throw new BudgetFault(`it creates more than ${this.#limits.items} list items`);
    }
    this.step(count);
  }
}
