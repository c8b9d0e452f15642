// Prints completion scripts, and candidates for them.
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import { type Candidate, candidatesFor, type NameSource } from "./completion-candidates.ts";
import { completionScript, shellNames } from "./completion-scripts.ts";
import type { Program } from "./definition.ts";

/** @throws ProductError `COMMAND_USAGE` for an unsupported shell */
export function printCompletion(program: string, shell: string): number {
  const script = completionScript(program, shell);
  if (script === undefined) {
    throw usageError(
      `Completion for ${shell} is not supported.`,
      `Use one of ${shellNames.join(", ")}.`,
    );
  }
  process.stdout.write(script);
  return exitCodes.ok;
}

/** Prints a candidate per line, followed by a tab and its description. */
export async function printCandidates(
  program: Program,
  words: readonly string[],
  names: NameSource,
): Promise<number> {
  const candidates = await candidatesFor(program, words, quietly(names));
  process.stdout.write(candidates.map(lineOf).join(""));
  return exitCodes.ok;
}

/** Suppresses errors, as completion must not print them. */
function quietly(names: NameSource): NameSource {
  return async (kind) => {
    try {
      return await names(kind);
    } catch {
      return [];
    }
  };
}

function lineOf({ value, text }: Candidate): string {
  return text === undefined ? `${value}\n` : `${value}\t${text}\n`;
}
