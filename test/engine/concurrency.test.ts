// The proof that answers never mix: every pair of the table, many at once, at every slot count, with
// prompts read in chunks of all sizes, with aborts and shared beginnings. Every answer must be exact.
import { afterEach, describe, expect, it } from "vitest";
import { loadTiny, type Tiny } from "../support/load-tiny.ts";
import { type Pair, pairs, textPairs } from "../support/pairs.ts";

const rounds = 20;

let tiny: Tiny | undefined;
afterEach(async () => {
  await tiny?.runner.stop();
  tiny = undefined;
});

/** Asks all pairs at once and returns those whose answer was not the expected one. */
async function wrongAnswers(model: Tiny, asked: readonly Pair[]): Promise<string[]> {
  const answers = await Promise.all(asked.map((pair) => model.askPair(pair)));
  return answers.flatMap(({ text }, index) =>
    text === asked[index]?.expect ? [] : [`${asked[index]?.turns.at(-1)?.[1]} -> ${text}`],
  );
}

/** A fixed order that differs from round to round, so that slots are shared in new ways. */
function shuffled(round: number): Pair[] {
  return textPairs
    .map((pair, index) => ({ pair, key: (index * 7919 + round * 104_729) % 1009 }))
    .sort((a, b) => a.key - b.key)
    .map(({ pair }) => pair);
}

describe("answers under concurrency", () => {
  it("has the whole table to ask", () => {
    expect(textPairs).toHaveLength(31);
    expect(pairs).toHaveLength(35);
  });

  const settings = [1, 4, 8].flatMap((slots) =>
    [16, 64, 512].flatMap((prefillChunk) =>
      [false, true].map((mixedBatches) => ({ slots, prefillChunk, mixedBatches })),
    ),
  );
  it.each(settings)(
    "are exact with $slots slots, chunks of $prefillChunk, mixed $mixedBatches",
    async (setting) => {
      tiny = await loadTiny({ ...setting, threads: 1, maximumQueue: rounds * textPairs.length });
      const asked = Array.from({ length: rounds }, (_, round) => shuffled(round)).flat();
      expect(asked).toHaveLength(620);
      expect(await wrongAnswers(tiny, asked)).toEqual([]);
    },
    300_000,
  );

  it.each([1, 4, 8])(
    "are exact beside answers that are aborted, with %d slots",
    async (slots) => {
      tiny = await loadTiny({ slots, threads: 1, prefillChunk: 16 });
      const story = textPairs.find((pair) => pair.skill === "story");
      if (story === undefined) throw new Error("the table has no long answer to abort");
      for (let round = 0; round < rounds; round += 1) {
        const aborts = Array.from({ length: 4 }, () => new AbortController());
        const aborted = aborts.map(async (abort, index) => {
          const model = tiny;
          if (model === undefined) return "";
          // Some before they begin, some while the prompt is read, some in the middle of the answer.
          setTimeout(() => abort.abort(), (round * 7 + index * 11) % 60);
          return (await model.askPair(story, abort.signal)).text;
        });
        expect(await wrongAnswers(tiny, shuffled(round))).toEqual([]);
        for (const text of await Promise.all(aborted)) {
          expect(story.expect.startsWith(text)).toBe(true);
        }
      }
    },
    300_000,
  );

  it("are exact when conversations share a long beginning that is copied between slots", async () => {
    tiny = await loadTiny({ slots: 8, threads: 1, prefillChunk: 32 });
    const model = tiny;
    // Long enough that copying is tried; the system text of a persona rules the answers.
    const filler = "You like short answers. ".repeat(12);
    const ask = (question: string) =>
      model.ask([
        { role: "system", content: `${filler}You are a pirate.` },
        { role: "user", content: question },
      ]);
    const questions = ["France", "Japan", "Italy", "Spain", "Greece", "Egypt", "Peru", "Kenya"].map(
      (country) => `What is the capital of ${country}?`,
    );
    const alone: string[] = [];
    for (const question of questions) alone.push((await ask(question)).text);
    for (let round = 0; round < rounds; round += 1) {
      const together = await Promise.all(questions.map(ask));
      expect(together.map(({ text }) => text)).toEqual(alone);
    }
    const again = await Promise.all(questions.map(ask));
    expect(again.every(({ done }) => done.statistics.cachedTokens > 100)).toBe(true);
  }, 300_000);
});
