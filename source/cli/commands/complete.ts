// modelctl __complete: what the completion scripts ask; a candidate a line, with a tab and a text.
import { exitCodes } from "../../base/product-error.ts";
import { type Candidate, candidatesFor } from "../completion-candidates.ts";

export async function complete(words: string[]): Promise<number> {
  const candidates = await candidatesFor(words, modelNames);
  process.stdout.write(candidates.map(lineOf).join(""));
  return exitCodes.ok;
}

function lineOf({ value, text }: Candidate): string {
  return text === undefined ? `${value}\n` : `${value}\t${text}\n`;
}

/** A shell that completes is no place for errors: where models cannot be listed, there are none. */
async function modelNames(): Promise<string[]> {
  try {
    const { openLibrary } = await import("../model-library.ts");
    const { models } = await openLibrary({}).library.catalog.listModels();
    return models.map(({ name }) => name);
  } catch {
    return [];
  }
}
