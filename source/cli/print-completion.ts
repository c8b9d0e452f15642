// `completion` and `__complete` of a program: a script for a shell, and what that script asks.
import { exitCodes } from "../base/product-error.ts";
import { type Candidate, candidatesFor, type NameSource } from "./completion-candidates.ts";
import { completionScript, shellNames } from "./completion-scripts.ts";
import { usageError } from "./errors.ts";
import type { FlagTable, Program } from "./program.ts";

export function printCompletion(program: string, [shell, ...more]: readonly string[]): number {
  if (shell === undefined || more.length > 0) {
    throw usageError(
      `completion needs one of ${shellNames.join(", ")}.`,
      `For bash: source <(${program} completion bash)`,
    );
  }
  const script = completionScript(program, shell);
  if (script === undefined) {
    throw usageError(
      `There is no completion for ${shell}.`,
      `Use one of ${shellNames.join(", ")}.`,
    );
  }
  process.stdout.write(script);
  return exitCodes.ok;
}

/** A candidate a line, with a tab and a text. */
export async function printCandidates<Table extends FlagTable>(
  program: Program<Table>,
  words: string[],
  names: NameSource,
): Promise<number> {
  const candidates = await candidatesFor(program, words, quietly(names));
  process.stdout.write(candidates.map(lineOf).join(""));
  return exitCodes.ok;
}

/** A shell that completes is no place for errors: where names cannot be listed, there are none. */
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
