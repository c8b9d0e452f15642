// Bounds on what a template may cost, so that a hostile or mistaken one ends with an error.
import { BudgetFault } from "./template-fault.ts";

/** UTF-16 units of a template's source; the longest known one has 17,000. */
export const longestSource = 1 << 16;
/** Tokens of a template's source, which is read on a thread that others wait for; the most known are 2,500. */
export const mostTokens = 1 << 13;
export interface RenderLimits {
  milliseconds: number;
  /** UTF-16 units of text that it may make. */
  characters: number;
  /** Items of lists and dictionaries that it may make. */
  items: number;
}

/** Little enough for a thread that others wait for: a look at the clock cannot end one long function. */
export const quickLimits: RenderLimits = { milliseconds: 25, characters: 1 << 20, items: 100_000 };

/** UTF-16 units of a conversation; a longer one is never rendered on a thread that others wait for. */
export const longestQuickConversation = 1 << 18;

/** How long a template may take unless something else is set. */
export const defaultTimeoutMs = 5000;

/** Where nobody waits for the thread. */
export function fullLimits(milliseconds: number): RenderLimits {
  return { milliseconds, characters: 1 << 26, items: 2_000_000 };
}

/** Steps between two looks at the clock: some tens of microseconds. */
const stepsBetweenLooks = 256;
/** Text that takes about as long as a step. */
const charactersPerStep = 64;

/** How much longer the slowest functions take for a character than a copy does. */
const slowFactor = 16;

/** What one rendering has used up. */
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
    if (this.#steps < stepsBetweenLooks) return;
    this.#steps = 0;
    if (performance.now() > this.#end) {
      throw new BudgetFault(`it takes longer than ${this.#limits.milliseconds / 1000} s`);
    }
  }

  /**
   * Called before text of that length is made.
   *
   * @throws BudgetFault
   */
  text(characters: number): void {
    this.#characters += characters;
    if (this.#characters > this.#limits.characters) {
      throw new BudgetFault(`it makes more than ${this.#limits.characters} characters of text`);
    }
    this.read(characters);
  }

  /** Called before a text of that length is changed by a function that takes long for each character. */
  slowText(characters: number): void {
    this.text(characters * slowFactor);
  }

  /** Called before text of that length is searched or compared. */
  read(characters: number): void {
    if (characters >= charactersPerStep) this.step(Math.ceil(characters / charactersPerStep));
  }

  /** Called before a list or a dictionary of that length is made. */
  items(count: number): void {
    this.#items += count;
    if (this.#items > this.#limits.items) {
      throw new BudgetFault(`it makes more than ${this.#limits.items} items of lists`);
    }
    this.step(count);
  }
}
