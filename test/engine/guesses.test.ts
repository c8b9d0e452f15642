// Guesses from the conversation change nothing but the speed: the probabilities stay the same within
// rounding.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasExtension } from "../../source/engine/text/engine-extension.ts";
import { createRandom } from "../performance/random.ts";
import {
  type AskChanges,
  distance,
  type LoadedMemoryModel,
  loadMemoryModel,
} from "../support/load-memory-model.ts";
import { type Answer, loadTiny, type Tiny } from "../support/load-tiny.ts";
import { image, loadVision, look } from "../support/load-vision.ts";
import type { MemoryModel } from "../support/memory-models.ts";

/** Rounding depends on the number of rows in a step; a wrong state is off by far more. */
const tolerance = 0.05;
const guesses = { lookupTokens: 15 };

/** A synthetic model that must choose between two tokens often repeats itself, and not always. */
const twoTokens: AskChanges = { logitBias: [41, 42].map((token) => [token, 60] as const) };

function text(length: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length }, () => 20 + (random() % 700));
}

const draftedOf = ({ done }: Answer) => done.statistics.drafted ?? 0;

describe.each<MemoryModel>(["dense", "sliding"])("guesses with %s memory", (kind) => {
  let plain: LoadedMemoryModel;
  let guessing: LoadedMemoryModel;
  beforeAll(async () => {
    plain = await loadMemoryModel(kind, { slots: 1, batchSize: 64, prefixSharing: false });
    guessing = await loadMemoryModel(kind, { slots: 2, batchSize: 64, ...guesses });
  });
  afterAll(async () => await Promise.all([plain.stop(), guessing.stop()]));

  it("leave the probabilities as they are, also after cuts, restores and cancelled answers", async () => {
    let drafted = 0;
    const compare = async (tokens: number[]) => {
      const changes = { maxTokens: 120, ...twoTokens };
      const answer = await guessing.ask(tokens, changes);
      drafted += draftedOf(answer);
      const { statistics } = answer.done;
      expect(statistics.completionTokens).toBe(120);
      expect(statistics.accepted ?? 0).toBeLessThanOrEqual(statistics.drafted ?? 0);
      expect(distance(await plain.ask(tokens, changes), answer)).toBeLessThan(tolerance);
    };
    const chats = [1, 2, 3].map((seed) => text(200, seed));
    for (const chat of chats) await compare(chat);
    // Two slots for three conversations: the first one is restored, or read again.
    for (const chat of chats) await compare([...chat, ...text(20, 4)]);
    // Cut in the middle of what was read.
    await compare([...(chats[2] ?? []).slice(0, 150), ...text(30, 5)]);
    const leaving = new AbortController();
    const left = guessing.ask(text(100, 6), {
      maxTokens: 1500,
      signal: leaving.signal,
      ...twoTokens,
    });
    setTimeout(() => leaving.abort(), 100);
    await left.catch((error: unknown) => {
      expect(leaving.signal.aborted, String(error)).toBe(true);
    });
    await compare([...text(100, 6), ...text(30, 7)]);
    expect(drafted).toBeGreaterThan(0);
  }, 120_000);
});

describe("guesses of a grammar's text", () => {
  let plain: Tiny;
  let guessing: Tiny;
  beforeAll(async () => {
    plain = await loadTiny({ slots: 1 });
    guessing = await loadTiny({ slots: 2, ...guesses });
  });
  afterAll(async () => await Promise.all([plain.runner.stop(), guessing.runner.stop()]));

  const grammar = `root ::= line{20}\nline ::= "What is 2 + " [0-9] "? "`;
  const ask = async (tiny: Tiny) =>
    await tiny.ask([{ role: "user", content: "What is 2 + 3?" }], { grammar, topLogprobs: 4 });

  it("are checked against it, with the same probabilities", async () => {
    const answer = await ask(guessing);
    const expected = await ask(plain);
    expect(answer.text).toBe(expected.text);
    expect(distance(expected, answer)).toBeLessThan(tolerance);
    expect(draftedOf(answer)).toBeGreaterThan(0);
    expect(draftedOf(expected)).toBe(0);
  });
});

describe.skipIf(!hasExtension("cpu"))("guesses behind an image", () => {
  it("leave the probabilities as they are", async () => {
    const ask = async (lookupTokens: number) => {
      const tiny = await loadVision("built", { slots: 1, lookupTokens });
      try {
        const grammar = `root ::= "The image is red. "{12}`;
        const question = look("What color is this image?", image("red.png"));
        return await tiny.ask([question], { grammar, topLogprobs: 4, maxTokens: 300 });
      } finally {
        await tiny.runner.stop();
      }
    };
    const [answer, expected] = [await ask(15), await ask(0)];
    expect(answer.text).toBe(expected.text);
    expect(distance(expected, answer)).toBeLessThan(tolerance);
    expect(draftedOf(answer)).toBeGreaterThan(0);
  });
});

it("a small model guesses nothing by itself, so that it repeats its answers", async () => {
  const tiny = await loadTiny({ slots: 1, lookupTokens: undefined });
  try {
    const grammar = `root ::= "What is 2 + 3? "{20}`;
    const answer = await tiny.ask([{ role: "user", content: "What is 2 + 3?" }], { grammar });
    expect(draftedOf(answer)).toBe(0);
  } finally {
    await tiny.runner.stop();
  }
});
