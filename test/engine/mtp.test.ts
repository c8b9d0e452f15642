// A model's own MTP heads change nothing but the speed: the probabilities stay the same within rounding, whatever
// happened to the slot before; and the model runs without heads that it does not have.
import { mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planMtp } from "../../source/engine/scheduler/mtp-plan.ts";
import { hasExtension } from "../../source/engine/text/engine-extension.ts";
import { readGgufFacts } from "../../source/store/gguf/gguf-facts.ts";
import type { ModelParameters } from "../../source/store/model-parameters.ts";
import { createRandom } from "../performance/random.ts";
import {
  type AskChanges,
  distance,
  type LoadedMemoryModel,
  loadMemoryModel,
} from "../support/load-memory-model.ts";
import { type MtpModel, writeMtpModel } from "../support/mtp-models.ts";

/** Rounding depends on the number of rows in a step; a wrong state is off by far more. */
const tolerance = 0.05;
const folder = mkdtempSync(path.join(homedir(), "mtp-"));

function text(length: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length }, () => 20 + (random() % 700));
}

async function load(modelPath: string, parameters: ModelParameters): Promise<LoadedMemoryModel> {
  const facts = await readGgufFacts(modelPath);
  const { architecture, layers, vocabularySize, fileSize: sizeBytes } = facts;
  const slots = 2;
  const planned = planMtp({ facts }, parameters, { contextLength: 2048, slots });
  const mtp = planned && { ...planned, isForced: true };
  const missingMtpLayers = facts.mtpHeads.announced - facts.mtpHeads.present;
  const files = { modelPath, architecture, layers, missingMtpLayers, vocabularySize, sizeBytes };
  return await loadMemoryModel("dense", { ...files, mtp, slots, batchSize: 64 });
}

describe.skipIf(!hasExtension("cpu")).each<[MtpModel]>([["dense"], ["hybrid"]])(
  "MTP heads of a %s model",
  (kind) => {
    let plain: LoadedMemoryModel;
    let drafting: LoadedMemoryModel;
    beforeAll(async () => {
      const file = path.join(folder, `${kind}.gguf`);
      await writeMtpModel(file, kind);
      plain = await load(file, {});
      drafting = await load(file, { spec_type: "draft-mtp" });
    });
    afterAll(async () => await Promise.all([plain.stop(), drafting.stop()]));

    let [drafted, accepted] = [0, 0];
    /** Compares an answer with and without drafts. */
    async function compare(tokens: number[], changes: AskChanges = {}): Promise<void> {
      const asked = { maxTokens: 60, ...changes };
      const answer = await drafting.ask(tokens, asked);
      drafted += answer.done.statistics.drafted ?? 0;
      accepted += answer.done.statistics.accepted ?? 0;
      expect(distance(await plain.ask(tokens, asked), answer)).toBeLessThan(tolerance);
    }

    it("draft tokens that are mostly right", async () => {
      expect(drafting.facts.draft?.name).toBe("MTP heads");
      for (const seed of [1, 2, 3]) await compare(text(20, seed));
      expect(drafting.facts.warnings).toEqual([]);
      expect(drafted).toBeGreaterThan(100);
      // With the state of another token they are nearly all wrong.
      expect(accepted / drafted).toBeGreaterThan(0.8);
    });

    it("could be told from a wrong state", async () => {
      const [one, other] = [text(60, 1), text(60, 1)];
      other[20] = 700;
      const answers = [await plain.ask(one), await plain.ask(other)] as const;
      expect(distance(...answers)).toBeGreaterThan(2 * tolerance);
    });

    it("leave the probabilities as they are, also after cuts, restores and cancelled answers", async () => {
      const chats = [1, 2, 3].map((seed) => text(200, seed));
      for (const chat of chats) await compare(chat);
      // Two slots for three conversations: the first one is restored, or read again.
      for (const chat of chats) await compare([...chat, ...text(20, 4)], { temperature: 1 });
      // Cut in the middle of what was read.
      await compare([...(chats[2] ?? []).slice(0, 150), ...text(30, 5)]);
      const leaving = new AbortController();
      const left = drafting.ask(text(100, 6), { maxTokens: 1500, signal: leaving.signal });
      setTimeout(() => leaving.abort(), 100);
      await left.catch((error: unknown) => {
        expect(leaving.signal.aborted, String(error)).toBe(true);
      });
      await compare([...text(100, 6), ...text(30, 7)], { temperature: 1 });
      // Two at a time: none of them is drafted.
      await Promise.all([compare(text(60, 8)), compare(text(60, 9))]);
      await compare([...text(60, 8), ...text(30, 10)]);
    });

    it("are checked for sampled answers too, which take back wrong tokens", async () => {
      const wrong = drafted - accepted;
      for (const seed of [11, 12, 13]) await compare(text(20, seed), { temperature: 1 });
      expect(drafted - accepted - wrong).toBeGreaterThan(10);
    });

    it("follow a grammar", async () => {
      const grammar = `root ::= line{8}\nline ::= "What is 2 + " [0-9] "? "`;
      await compare(text(60, 10), { grammar });
    });
  },
);

describe.each<[MtpModel]>([["dense"], ["hybrid"]])(
  "a %s model that announces MTP heads",
  (kind) => {
    it("and has none is used without them", async () => {
      const file = path.join(folder, `${kind}-headless.gguf`);
      await writeMtpModel(file, kind, { isHeadless: true });
      const model = await load(file, { spec_type: "draft-mtp" });
      try {
        const { done } = await model.ask(text(40, 1), { maxTokens: 20 });
        expect(done.statistics).toMatchObject({ completionTokens: 20 });
        expect(done.statistics).not.toHaveProperty("drafted");
      } finally {
        await model.stop();
      }
    });
  },
);
