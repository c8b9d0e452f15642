// Text offsets of tokens that end inside a character.
import { expect, test } from "vitest";
import type { TokenLogprob } from "../../../../source/engine/generation.ts";
import { CompletionChoice } from "../../../../source/server/routes/openai/completion-choice.ts";

const token = (bytes: number[], logprob = -1, top: TokenLogprob["top"] = []): TokenLogprob => ({
  token: new TextDecoder().decode(Uint8Array.from(bytes)),
  bytes,
  logprob,
  top,
});
const bytesOf = (text: string) => [...Buffer.from(text)];

const logprobsOf = (choice: CompletionChoice, logprobs: TokenLogprob[]) =>
  choice.take({ type: "text", text: "", tokens: 1, logprobs })[0]?.logprobs;

test("offsets count a character once, wherever its tokens or stream pieces are cut", () => {
  const smile = bytesOf("😀");
  const choice = new CompletionChoice({ index: 0, echo: "", topLogprobs: 0 });
  const first = logprobsOf(choice, [token(bytesOf("é ")), token(smile.slice(0, 1))]);
  const second = logprobsOf(choice, [
    token(smile.slice(1, 3)),
    token(smile.slice(3)),
    token(bytesOf("b")),
  ]);
  expect([first?.text_offset, second?.text_offset].flat()).toEqual([0, 2, 2, 2, 3]);
  expect(first?.top_logprobs).toBeNull();
});

test("the chosen token is among the alternatives, whatever its text", () => {
  const choice = new CompletionChoice({ index: 0, echo: "", topLogprobs: 1 });
  const top = [{ token: "b", bytes: bytesOf("b"), logprob: -0.1 }];
  const logprobs = logprobsOf(choice, [token(bytesOf("__proto__"), -3, top)]);
  expect(Object.entries(logprobs?.top_logprobs?.[0] ?? {})).toEqual([
    ["__proto__", -3],
    ["b", -0.1],
  ]);
});
