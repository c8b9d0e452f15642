// The proof that answers never mix: every pair of the table, many at once, at every slot count, with
// prompts read in chunks of all sizes, with aborts and shared beginnings. Every answer must be exact.
import { afterEach, describe, expect, it } from "vitest";
import type { LoadSettings } from "../../source/engine/runner/load-settings.ts";
import { loadTiny, type Tiny } from "./load-tiny.ts";
import { type Pair, textPairs } from "./pairs.ts";
import { isProof } from "./proof.ts";

const rounds = isProof ? 20 : 1;

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

type Setting = Pick<LoadSettings, "prefillChunk" | "mixedBatches">;

const allSettings: readonly Setting[] = [16, 64, 512].flatMap((prefillChunk) =>
  [true, false].map((mixedBatches) => ({ prefillChunk, mixedBatches })),
);

/**
 * The proof for one number of slots; each is in its own file, so that two run in parallel.
 *
 * @param usual played in every run of the suite, in which each chunk size has its turn; a proof plays all
 */
export function proveConcurrency(slots: number, usual: readonly Setting[]): void {
  describe(`answers with ${slots} slots`, () => {
    let tiny: Tiny | undefined;
    afterEach(async () => {
      await tiny?.runner.stop();
      tiny = undefined;
    });

    it("has the whole table to ask", () => {
      expect(textPairs).toHaveLength(31);
    });

    it.each(isProof ? allSettings : usual)(
      "are exact with chunks of $prefillChunk, mixed $mixedBatches",
      async (setting) => {
        tiny = await loadTiny({
          ...setting,
          slots,
          threads: 1,
          maxQueue: rounds * textPairs.length,
        });
        const asked = Array.from({ length: rounds }, (_, round) => shuffled(round)).flat();
        expect(asked).toHaveLength(31 * rounds);
        expect(await wrongAnswers(tiny, asked)).toEqual([]);
      },
      300_000,
    );

    it("are exact beside answers that are aborted", async () => {
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
    }, 300_000);
  });
}
