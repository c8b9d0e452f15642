// What a runner can be asked besides generating: one question, one answer.
import type { EmbeddingInput, EmbeddingOutput, MarkedPrompt } from "../generation.ts";

export interface RunnerCalls {
  embed: { input: EmbeddingInput; output: EmbeddingOutput };
  /** Tokens of a prompt, as generating would use them; those of images are negative. */
  tokenize: { input: MarkedPrompt; output: { tokens: number[] } };
  /** Text of tokens; control tokens are shown. */
  detokenize: { input: { tokens: number[] }; output: { text: string } };
}

export type CallName = keyof RunnerCalls;

/** A question on its way to the runner. */
export type RunnerCall = {
  [Name in CallName]: { name: Name; input: RunnerCalls[Name]["input"] };
}[CallName];

export type CallOutput = RunnerCalls[CallName]["output"];
