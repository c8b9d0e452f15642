// Answers a prompt that goes to the model as it is.
import { answerGrammar } from "../../prompt/grammar/answer-grammar.ts";
import type { CanonicalEvent, CanonicalRequest } from "../request.ts";
import { type AnswerOptions, generationOf } from "./answer-options.ts";

/** What is asked of the answer's form counts for raw prompts too. @throws ProductError of the schema */
export function rawGrammar({ format }: CanonicalRequest): string | undefined {
  return answerGrammar({
    format,
    tools: [],
    toolChoice: "none",
    parallelToolCalls: true,
    output: { name: "plain" },
    thinking: undefined,
    startsInThinking: false,
  });
}

/** @throws ProductError of the engine */
export async function* answerRaw(
  text: string,
  options: AnswerOptions,
): AsyncGenerator<CanonicalEvent> {
  const { request, ready, signal } = options;
  request.onPrompt?.(text);
  const prompt = { segments: [{ text, special: true }] };
  const grammar = rawGrammar(options.request);
  yield* ready.runner.generate({ ...generationOf(options), prompt, grammar }, signal);
}
