// Shows a model's thinking before its answer: in grey on a terminal, and not at all in a pipe or a
// file, where only the answer is wanted.
import chalk from "chalk";

export class ThinkingText {
  readonly #isShown: boolean;
  #isOpen = false;

  constructor(isHidden: boolean, isTerminal: boolean = process.stdout.isTTY) {
    this.#isShown = isTerminal && !isHidden;
  }

  push(text: string): void {
    if (!this.#isShown) return;
    if (!this.#isOpen) process.stdout.write("Thinking...\n");
    this.#isOpen = true;
    process.stdout.write(chalk.grey(text));
  }

  /** Ends the thinking: the answer begins, or nothing follows. */
  end(): void {
    if (this.#isOpen) process.stdout.write("\n...done thinking.\n\n");
    this.#isOpen = false;
  }
}
