// Bounds on what a template may cost, so that a hostile or mistaken one ends with an error.
import { TemplateFault } from "./template-fault.ts";

/** Blocks and parentheses inside one another. */
export const deepestNesting = 200;
/** `template` inside `template`, and values inside values. */
export const deepestCalls = 200;
/** Actions, commands and rounds of loops; a long conversation takes some thousands. */
const mostSteps = 2_000_000;
/** UTF-16 units that all functions and the output may read and write together. */
const mostCharacters = 1 << 27;

/** What one rendering has used up. */
export class Budget {
  #steps = 0;
  #characters = 0;

  /** @throws TemplateFault when the template has run for too long */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > mostSteps) {
      throw new TemplateFault(`it runs for more than ${mostSteps} steps`);
    }
  }

  /** @throws TemplateFault when the template makes or reads too much text */
  text(characters: number): void {
    this.#characters += characters;
    if (this.#characters > mostCharacters) {
      throw new TemplateFault(`it handles more than ${mostCharacters} characters`);
    }
  }
}
