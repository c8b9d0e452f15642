// `completion` and `__complete` of a program: a shell script, and the candidates it asks for.
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import { type Candidate, candidatesFor, type NameSource } from "./completion-candidates.ts";
import { completionScript, shellNames } from "./completion-scripts.ts";
import type { Program } from "./definition.ts";

/** @throws ProductError `COMMAND_USAGE` for a shell that has none */
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

/** A candidate a line, with a tab and a text. */
export async function printCandidates(
  program: Program,
  words: readonly string[],
  names: NameSource,
): Promise<number> {
  const candidates = await candidatesFor(program, words, quietly(names));
  process.stdout.write(candidates.map(lineOf).join(""));
  return exitCodes.ok;
}

/** Completion must not print errors: if names cannot be listed, there are no candidates. */
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
