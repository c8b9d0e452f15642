// A prompt that does not fit: the sentence names the window that would hold it.
import { describe, expect, test } from "vitest";
import { checkLength, promptTooLong } from "../../source/engine/check-request.ts";

const settings = {
  contextLength: 4096,
  trainedContextLength: 32_768,
  windowRoomTokens: 4 * 32_768,
  slots: 4,
  kvCacheType: "f16",
} as const;

describe("a prompt that is too long", () => {
  test("is told the window that it needs", () => {
    expect(promptTooLong(5000, settings).hint).toBe(
      "Raise num_ctx (MODELCTL_CONTEXT_LENGTH) above 5000, with room for the answer, up to 32768; " +
        "or shorten the prompt.",
    );
  });

  test("is not told to raise a window that would still be too small", () => {
    expect(promptTooLong(32_768, settings).hint).toBe(
      "Shorten the prompt; the model was trained for windows of up to 32768 tokens.",
    );
    const whole = { ...settings, contextLength: 32_768 };
    expect(promptTooLong(40_000, whole).hint).toBe(
      "Shorten the prompt; num_ctx is as large as the model was trained for.",
    );
  });

  test("is told what it takes if memory has no such window", () => {
    const short = { ...settings, windowRoomTokens: 9000 };
    expect(promptTooLong(5000, short).hint).toMatch(
      /up to 9000; .* answers one request at a time\.$/,
    );
    expect(promptTooLong(5000, { ...short, windowRoomTokens: 16_000 }).hint).toContain(
      "answers 3 requests at a time",
    );
    expect(promptTooLong(12_000, short).hint).toContain("Set kv_cache_type to q8_0");
    const quantized = { ...short, kvCacheType: "q8_0" } as const;
    expect(promptTooLong(12_000, quantized).hint).toContain("has room for 9000 tokens: unload");
  });

  test("has an estimated length if it was not read", () => {
    expect(promptTooLong(19_876, settings, true).message).toContain("about 20000 tokens");
  });
});

test("a prompt must leave room for one token", () => {
  expect(() => checkLength(4095, settings)).not.toThrow();
  expect(() => checkLength(4096, settings)).toThrow(/4096 tokens long/);
});
