// Long prompts between processes: no part is large, and joined they are the prompt.
import { expect, test } from "vitest";
import type { MarkedPrompt } from "../../../source/engine/generation.ts";
import { joinPrompt, splitPrompt } from "../../../source/engine/runner/prompt-parts.ts";

const overWire = <T>(value: T): T => JSON.parse(JSON.stringify(value));

test("a long prompt travels in parts of at most half a megabyte", () => {
  const prompt: MarkedPrompt = {
    segments: [
      { text: "<|user|>", special: true },
      { text: `${"long 😀".repeat(200_000)}`, special: false },
      { text: "[image]", special: false, image: 0 },
      ...Array.from({ length: 3000 }, (_, n) => ({
        text: `message ${n} `.repeat(40),
        special: n % 2 === 0,
      })),
      { text: "", special: false },
    ],
    images: ["abcd".repeat(300_000), "small"],
    earlier: [1, 2, 3],
  };
  const { rest, parts } = splitPrompt(prompt);
  expect(parts.length).toBeGreaterThan(10);
  for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(512 * 1024);
  expect(JSON.stringify(rest).length).toBeLessThan(512 * 1024);
  expect(joinPrompt(overWire(rest), overWire(parts))).toEqual(prompt);
});

test("a short prompt travels whole", () => {
  const prompt = { segments: [{ text: "Hi", special: false }] };
  expect(splitPrompt(prompt)).toEqual({ rest: prompt, parts: [] });
});
