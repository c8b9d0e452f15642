// Answers a prompt that goes to the model as it is.
import type { CanonicalEvent } from "../request.ts";
import { type AnswerOptions, generationOf } from "./answer-options.ts";

/** @throws ProductError of the engine */
export async function* answerRaw(
  text: string,
  options: AnswerOptions,
): AsyncGenerator<CanonicalEvent> {
  const { request, ready, signal } = options;
  request.onPrompt?.(text);
  const prompt = { segments: [{ text, special: true }] };
  yield* ready.runner.generate({ ...generationOf(options), prompt }, signal);
}
