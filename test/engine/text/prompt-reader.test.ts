// Length of prompts, estimated from a part of long ones.
import { describe, expect, test } from "vitest";
import { ImageTokens } from "../../../source/engine/text/image-tokens.ts";
import { PictureReader } from "../../../source/engine/text/picture-reader.ts";
import { PromptReader } from "../../../source/engine/text/prompt-reader.ts";

/** A vocabulary with tokens of equal length, which counts the characters that it tokenises. */
function vocabulary(charactersPerToken: number) {
  let seen = 0;
  const tokenize = (text: string) => {
    seen += text.length;
    return new Uint32Array(Math.ceil(text.length / charactersPerToken));
  };
  const pictures = new PictureReader(
    () => Promise.reject(new Error("no image reader")),
    new ImageTokens(),
  );
  const model = { tokenize, tokenBos: () => -1, shouldPrependBosToken: () => false };
  const prompts = new PromptReader(model, pictures);
  return { prompts, seen: () => seen };
}

const segment = (characters: number) => ({ text: "a".repeat(characters), special: false });

describe("the estimate for prompts of certainly more than 10000 tokens", () => {
  test("reads only the beginning of a million characters", () => {
    const { prompts, seen } = vocabulary(4);
    expect(prompts.estimateOver(10_000, [segment(1_000_000)])).toBe(250_000);
    expect(seen()).toBeLessThan(60_000);
  });

  test("covers a long conversation of short messages", () => {
    const { prompts, seen } = vocabulary(4);
    const messages = Array.from({ length: 1000 }, () => segment(1000));
    expect(prompts.estimateOver(10_000, messages)).toBe(250_000);
    expect(seen()).toBeLessThan(60_000);
  });

  test("is not made if an ordinary prompt may have fewer", () => {
    const { prompts, seen } = vocabulary(4);
    expect(prompts.estimateOver(10_000, [segment(40_000)])).toBeUndefined();
    expect(seen()).toBe(0);
  });

  test("is not made if the tokens turn out to be long", () => {
    const { prompts } = vocabulary(100);
    expect(prompts.estimateOver(10_000, [segment(999_000)])).toBeUndefined();
  });
});
