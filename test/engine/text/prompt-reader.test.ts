// How long a prompt is, and how much of it has to be read to know.
import { describe, expect, test } from "vitest";
import { ImageTokens } from "../../../source/engine/text/image-tokens.ts";
import { PictureReader } from "../../../source/engine/text/picture-reader.ts";
import { PromptReader } from "../../../source/engine/text/prompt-reader.ts";

/** A vocabulary whose tokens all have the same length; tells how much of texts it has been given. */
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

describe("whether a prompt has more than 10000 tokens for certain", () => {
  test("is told of one of a million characters from its beginning", () => {
    const { prompts, seen } = vocabulary(4);
    expect(prompts.estimateOver(10_000, [segment(1_000_000)])).toBe(250_000);
    expect(seen()).toBeLessThan(60_000);
  });

  test("is told of a long conversation of short messages too", () => {
    const { prompts, seen } = vocabulary(4);
    const messages = Array.from({ length: 1000 }, () => segment(1000));
    expect(prompts.estimateOver(10_000, messages)).toBe(250_000);
    expect(seen()).toBeLessThan(60_000);
  });

  test("is left to counting where a usual prompt may have fewer", () => {
    const { prompts, seen } = vocabulary(4);
    expect(prompts.estimateOver(10_000, [segment(40_000)])).toBeUndefined();
    expect(seen()).toBe(0);
  });

  test("is left to counting where its tokens turn out to be long", () => {
    const { prompts } = vocabulary(100);
    expect(prompts.estimateOver(10_000, [segment(999_000)])).toBeUndefined();
  });
});
