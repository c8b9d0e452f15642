// Asks before something is done that cannot be undone.
import { createInterface } from "node:readline/promises";
import { shownModel } from "../base/model-tag.ts";
import { ProductError } from "../base/product-error.ts";
import { commandErrors } from "./errors.ts";

/**
 * Resolves where the model may be replaced: with --force, or after a yes on a terminal.
 *
 * @throws ProductError `COMMAND_NAME_TAKEN` otherwise
 */
export async function confirmReplacing(model: string, isForced = false): Promise<void> {
  if (isForced) return;
  const name = shownModel(model);
  if (await isYes(`Replace '${name}'? [y/N] `)) return;
  throw new ProductError(commandErrors.nameTaken, {
    message: `A model named '${name}' already exists.`,
    hint: "Use --force to replace it, or choose another name.",
  });
}

/** Resolves with false, without asking, where there is no terminal. */
export async function isYes(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
