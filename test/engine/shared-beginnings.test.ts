// Long shared prefixes: copied between slots, with exact answers.
import { expect, it } from "vitest";
import { sharedTiny } from "../support/load-tiny.ts";
import { isProof } from "../support/proof.ts";

const rounds = isProof ? 40 : 2;

it("answers are exact when a long shared beginning is copied between slots", async () => {
  const model = await sharedTiny();
  // Long enough to be copied; the system prompt determines the answers.
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
