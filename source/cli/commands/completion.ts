// modelctl completion: a script for a shell.
import { printCompletion } from "../print-completion.ts";

export async function completion(words: string[]): Promise<number> {
  return printCompletion("modelctl", words);
}
