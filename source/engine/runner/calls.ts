// Calls to a runner besides generation: one request, one result.
import type { EmbeddingInput, EmbeddingOutput, MarkedPrompt } from "../generation.ts";

export interface RunnerCalls {
  embed: { input: EmbeddingInput; output: EmbeddingOutput };
  /** Tokens of a prompt as generation would use them; image tokens are negative. */
  tokenize: { input: MarkedPrompt; output: { tokens: number[] } };
  /** Text of tokens, including control tokens. */
  detokenize: { input: { tokens: number[] }; output: { text: string } };
}

export type CallName = keyof RunnerCalls;

/** A call on its way to the runner. */
export type RunnerCall = {
  [Name in CallName]: { name: Name; input: RunnerCalls[Name]["input"] };
}[CallName];

export type CallOutput = RunnerCalls[CallName]["output"];
