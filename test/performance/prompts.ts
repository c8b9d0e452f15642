// Random prompts of words from the model's vocabulary, where one word is one token.

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
  /** Returns a text of that many tokens, different for each call. */
  text: (tokens: number) => string;
  chat: (tokens: number) => Message[];
}

/** Creates a source; the same seed gives both servers the same prompts. */
export function createPromptSource(seed: number): PromptSource {
  words ??= createTokenizer().words;
  const vocabulary = words;
  const random = createRandom(seed);
  const text = (tokens: number): string =>
    Array.from({ length: tokens }, () => pick(vocabulary, random)).join(" ");
  return { text, chat: (tokens) => [{ role: "user", content: text(tokens) }] };
}

let words: readonly string[] | undefined;

/** Returns the share of repeated word pairs, from which speculative decoding could profit. */
export function repeatedPairShare(text: string): number {
  const all = text.trim().split(/\s+/);
  const pairs = all.slice(1).map((word, index) => `${all[index]} ${word}`);
  return pairs.length === 0 ? 0 : 1 - new Set(pairs).size / pairs.length;
}
