// Repeated prompt prefixes get the same answers as prompts read from scratch, for every kind of
// memory.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LoadSettings } from "../../source/engine/runner/load-settings.ts";
import { createRandom } from "../performance/random.ts";
import { distance, type LoadedMemoryModel, loadMemoryModel } from "../support/load-memory-model.ts";
import type { Answer } from "../support/load-tiny.ts";
import type { MemoryModel } from "../support/memory-models.ts";
import { isProof, proofCases } from "../support/proof.ts";

interface Variant {
  name: string;
  kind: MemoryModel;
  changes: Partial<LoadSettings>;
}

const variantOf = (kind: MemoryModel): Variant => ({ name: kind, kind, changes: {} });
const variants = proofCases<Variant>(
  [variantOf("sliding"), variantOf("hybrid")],
  [
    variantOf("dense"),
    variantOf("recurrent"),
    variantOf("mixture"),
    { name: "sliding, all kept:", kind: "sliding", changes: { keepsWholeWindow: true } },
  ],
);
/** Tolerance: rounding depends on how a prompt is cut; a wrong state is off by far more. */
const tolerance = 0.05;
/** The context keeps a step's tokens beyond the sliding window: small steps make it drop them early. */
const tight = { batchSize: 64 };

function text(length: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length }, () => 20 + (random() % 700));
}

type Cold = Awaited<ReturnType<typeof loadCold>>;
const colds = new Map<MemoryModel, Promise<Cold>>();
afterAll(async () => {
  await Promise.all([...colds.values()].map(async (cold) => await (await cold).stop()));
});

/** Returns the engine that all tests share: it keeps nothing of what it read. */
function coldOf(kind: MemoryModel): Promise<Cold> {
  const cold = colds.get(kind) ?? loadCold(kind);
  colds.set(kind, cold);
  return cold;
}

/** Reads every prompt from its first token. */
async function loadCold(kind: MemoryModel) {
  const model = await loadMemoryModel(kind, { ...tight, slots: 1, prefixSharing: false });
  return {
    ask: async (...[tokens, changes]: Parameters<typeof model.ask>): Promise<Answer> => {
      // A prompt that shares nothing with it takes its slot.
      await model.ask([(tokens[0] ?? 0) + 1], { maxTokens: 1 });
      const answer = await model.ask(tokens, changes);
      expect(answer.done.statistics.cachedTokens).toBe(0);
      return answer;
    },
    stop: model.stop,
  };
}

function sourceOf({ events }: Answer): string | undefined {
  const started = events.find((event) => event.type === "started");
  return started?.cachedFrom;
}

describe.each(variants)("$name memory", ({ kind, changes }) => {
  let tightModel: LoadedMemoryModel;
  beforeAll(async () => {
    tightModel = await loadMemoryModel(kind, { ...tight, ...changes, slots: 3 });
  });
  afterAll(async () => await tightModel.stop());

  it("reads little of the same prompt with another ending", async () => {
    const cold = await coldOf(kind);
    const prompt = text(1200, 1);
    const edited = [...prompt.slice(0, 1190), ...text(10, 2)];
    await tightModel.ask(prompt, { maxTokens: 250 });
    for (const tokens of [prompt, edited, prompt]) {
      const answer = await tightModel.ask(tokens);
      expect(answer.done.statistics.cachedTokens).toBeGreaterThan(1100);
      if (kind === "dense" || kind === "mixture") expect(sourceOf(answer)).toBe("slot");
      if (kind === "hybrid" || kind === "recurrent") expect(sourceOf(answer)).toBe("checkpoint");
      expect(distance(await cold.ask(tokens), answer)).toBeLessThan(tolerance);
    }
  }, 60_000);

  it("shares a long beginning between slots, and restores conversations that lost theirs", async () => {
    const [model, cold] = await Promise.all([
      loadMemoryModel(kind, { ...changes, slots: 2 }),
      coldOf(kind),
    ]);
    try {
      const system = text(400, 5);
      const chats = Array.from({ length: 4 }, (_, chat) => [...system, ...text(200, 20 + chat)]);
      const sources = new Set<string | undefined>();
      for (let turn = 0; turn < (isProof ? 3 : 2); turn += 1) {
        for (const [chat, tokens] of chats.entries()) {
          const answer = await model.ask(tokens);
          const cached = answer.done.statistics.cachedTokens;
          // The first one is read, the second one reveals the shared part.
          if (turn === 0 && chat > 1) expect(cached).toBeGreaterThanOrEqual(400);
          if (turn > 0) expect(cached).toBeGreaterThan(500);
          if (turn > 0) sources.add(sourceOf(answer));
          expect(distance(await cold.ask(tokens), answer)).toBeLessThan(tolerance);
          tokens.push(...text(40, 100 + turn * 10 + chat));
        }
      }
      expect(sources).toContain("memory");
    } finally {
      await model.stop();
    }
  }, 60_000);

  it("answers as without a cache, among aborted answers", async () => {
    const cold = await coldOf(kind);
    const random = createRandom(11);
    const books = [text(500, 3), text(700, 4)];
    const draw = () => {
      const book = books[random() % books.length] ?? [];
      const from = random() % 3 === 0 ? book.length : random() % book.length;
      return [...book.slice(0, from), ...text(1 + (random() % 40), random() % 3)];
    };
    let reused = 0;
    for (let round = 0; round < (isProof ? 60 : 3); round += 1) {
      const aborting = new AbortController();
      const asked = Array.from({ length: 1 + (random() % 3) }, () => ({
        tokens: draw(),
        temperature: random() % 2,
      }));
      const aborted = tightModel.ask(draw(), { maxTokens: 60, signal: aborting.signal });
      setTimeout(() => aborting.abort(), random() % 60);
      const answers = await Promise.all(
        asked.map(({ tokens, temperature }) => tightModel.ask(tokens, { temperature })),
      );
      await aborted;
      for (const [index, { tokens, temperature }] of asked.entries()) {
        const answer = answers[index];
        if (answer === undefined) throw new Error("an answer is missing");
        reused += answer.done.statistics.cachedTokens;
        expect(distance(await cold.ask(tokens, { temperature }), answer)).toBeLessThan(tolerance);
      }
    }
    expect(reused).toBeGreaterThan(0);
  }, 300_000);
});

it("a sliding window that keeps all tokens can be cut anywhere, and after a restore at its end only", async () => {
  const kept = { ...tight, slots: 1, keepsWholeWindow: true };
  const [model, cold] = await Promise.all([loadMemoryModel("sliding", kept), coldOf("sliding")]);
  const check = async (tokens: number[], least: number) => {
    const answer = await model.ask(tokens);
    expect(answer.done.statistics.cachedTokens).toBeGreaterThanOrEqual(least);
    expect(distance(await cold.ask(tokens), answer)).toBeLessThan(tolerance);
    return sourceOf(answer);
  };
  try {
    let tokens = text(1500, 1);
    await model.ask(tokens, { maxTokens: 100 });
    for (const place of [1100, 617, 300]) {
      tokens = [...tokens.slice(0, place), ...text(700, place)];
      expect(await check(tokens, place)).toBe("slot");
    }
    // Another conversation takes the slot; the restored state covers only the window.
    await check(text(400, 9), 0);
    expect(await check([...tokens, ...text(40, 10)], 900)).toBe("memory");
    await check([...tokens.slice(0, 700), ...text(40, 11)], 0);
  } finally {
    await model.stop();
  }
}, 60_000);
