// Invents the prompts: words of the model's own vocabulary, so that one word is one token.

import { createRandom, pick } from "./random.ts";
import { createTokenizer } from "./synthetic-tokenizer.ts";

export interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

/** A question with an image, in parts as the OpenAI API has them. */
export interface ImageMessage {
  role: "user";
  content: readonly object[];
}

export interface PromptSource {
  /** Text of so many tokens, different at each call. */
  text: (tokens: number) => string;
  chat: (tokens: number) => Message[];
}

/** Both servers get a source with the same seed and so the same prompts. */
export function createPromptSource(seed: number): PromptSource {
  words ??= createTokenizer().words;
  const vocabulary = words;
  const random = createRandom(seed);
  const text = (tokens: number): string =>
    Array.from({ length: tokens }, () => pick(vocabulary, random)).join(" ");
  return { text, chat: (tokens) => [{ role: "user", content: text(tokens) }] };
}

let words: readonly string[] | undefined;

/** Share of word pairs that occurred before: what guessing repeated text could profit from. */
export function repeatedPairShare(text: string): number {
  const all = text.trim().split(/\s+/);
  const pairs = all.slice(1).map((word, index) => `${all[index]} ${word}`);
  return pairs.length === 0 ? 0 : 1 - new Set(pairs).size / pairs.length;
}
