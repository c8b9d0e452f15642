// modelctl __complete: what the completion scripts ask.
import { modelctlProgram } from "../command-table.ts";
import { printCandidates } from "../print-completion.ts";

export async function complete(words: string[]): Promise<number> {
  return await printCandidates(modelctlProgram, words, modelNames);
}

async function modelNames(): Promise<string[]> {
  const { openLibrary } = await import("../model-library.ts");
  const { models } = await openLibrary({}).library.catalog.listModels();
  return models.map(({ name }) => name);
}
