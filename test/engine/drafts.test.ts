// A draft model changes nothing but the speed: the probabilities stay the same within rounding, whatever
// happened to the slot before; and it is not used where it is slower, or cannot be used.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DraftSettings, LoadSettings } from "../../source/engine/runner/load-settings.ts";
import { hasExtension } from "../../source/engine/text/engine-extension.ts";
import { readGgufFacts } from "../../source/store/gguf/gguf-facts.ts";
import { readGguf } from "../../source/store/gguf/read-gguf.ts";
import { createRandom } from "../performance/random.ts";
import {
  type AskChanges,
  distance,
  type LoadedMemoryModel,
  loadMemoryModel,
  memoryModelFile,
} from "../support/load-memory-model.ts";
import { loadTiny, type Tiny } from "../support/load-tiny.ts";
import { image, loadVision, look } from "../support/load-vision.ts";
import { writeMemoryModel } from "../support/memory-models.ts";
import { isProof } from "../support/proof.ts";
import { realModel } from "../support/real-models.ts";

/** Rounding depends on the number of rows in a step; a wrong state is off by far more. */
const tolerance = 0.05;
const folder = mkdtempSync(path.join(homedir(), "drafts-"));

function text(length: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length }, () => 20 + (random() % 700));
}

async function draftOf(modelPath: string, changes: Partial<DraftSettings> = {}) {
  const { fileSize: sizeBytes, ...facts } = await readGgufFacts(modelPath);
  const { architecture, layers, vocabularySize } = facts;
  const own = { architecture, layers, vocabularySize, contextLength: 2048, sizeBytes };
  return { name: "small", modelPath, memoryBytes: 0, most: 7, ...own, ...changes };
}

/** Drafts with the dense model. */
async function dense(
  draft: DraftSettings | undefined,
  changes: Partial<LoadSettings> = {},
): Promise<LoadedMemoryModel> {
  const settings = { slots: 2, batchSize: 64, sizeBytes: smallBytes + 1, ...changes };
  return await loadMemoryModel("dense", { ...settings, draft });
}

let smallBytes = 0;
beforeAll(async () => {
  ({ fileSize: smallBytes } = await readGgufFacts(await memoryModelFile("dense")));
});

describe("a draft model that is right", () => {
  it("drafts once it has seen that it would be faster", async () => {
    const slowFile = path.join(folder, "slow.gguf");
    await writeMemoryModel(slowFile, "dense", 150);
    const { layers, fileSize: sizeBytes } = await readGgufFacts(slowFile);
    const files = { modelPath: slowFile, layers, sizeBytes };
    // Says the same: the other layers change nothing.
    const plain = await dense(undefined);
    const drafting = await dense(await draftOf(await memoryModelFile("dense")), files);
    try {
      let [drafted, accepted] = [0, 0];
      // On a busy machine a step may take so long that drafts look slow.
      for (let round = 0; accepted === 0 && round < 60; round += 1) {
        // Short enough to be read whole at the first attempt.
        const [tokens, asked] = [text(20, round), { maxTokens: 30 }];
        const answer = await drafting.ask(tokens, asked);
        drafted += answer.done.statistics.drafted ?? 0;
        accepted += answer.done.statistics.accepted ?? 0;
        if (round === 0 || accepted > 0) {
          expect(distance(await plain.ask(tokens, asked), answer)).toBeLessThan(tolerance);
        }
        // The draft model reads the answer while nothing else is to do.
        await wait(Math.min(2000, 500 + 250 * round));
      }
      expect(drafting.warnings).toEqual([]);
      expect(drafted).toBeGreaterThan(0);
      expect(accepted).toBeGreaterThan(0);
    } finally {
      await Promise.all([plain.stop(), drafting.stop()]);
    }
  }, 120_000);
});

describe("a draft model whose drafts are checked", () => {
  let plain: LoadedMemoryModel;
  let drafting: LoadedMemoryModel;
  beforeAll(async () => {
    const draft = await draftOf(await memoryModelFile("dense"), { isForced: true });
    [plain, drafting] = [await dense(undefined), await dense(draft)];
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

  it("leaves the probabilities as they are, also after cuts, restores and cancelled answers", async () => {
    const chats = [1, 2, 3].map((seed) => text(200, seed));
    for (const chat of chats) await compare(chat);
    expect(accepted).toBeGreaterThan(100);
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
    await compare([...text(100, 6), ...text(30, 7)]);
    // Two at a time: none of them is drafted.
    await Promise.all([compare(text(60, 8)), compare(text(60, 9))]);
    // Wrong guesses of sampled answers were taken back.
    expect(accepted).toBeLessThan(drafted);
    expect(drafting.warnings).toEqual([]);
  }, 60_000);

  it("follows a grammar", async () => {
    const grammar = `root ::= line{8}\nline ::= "What is 2 + " [0-9] "? "`;
    await compare(text(60, 10), { grammar });
  }, 60_000);
});

describe.skipIf(!isProof)("a real pair", () => {
  const questions = [
    "Write a TypeScript function that adds numbers.",
    "And in C?",
    "Explain what a hash table is.",
    "Write a poem about the sea.",
  ];

  async function load(changes: Partial<DraftSettings> | undefined): Promise<Tiny | undefined> {
    const [modelPath, small] = [
      await realModel("qwen2.5-coder-1.5b"),
      await realModel("qwen2.5-coder-0.5b"),
    ];
    if (modelPath === undefined || small === undefined) return undefined;
    const facts = await readGgufFacts(modelPath);
    const { architecture, layers, vocabularySize, fileSize: sizeBytes } = facts;
    const draft = changes && { ...(await draftOf(small)), most: 15, ...changes };
    const files = { modelPath, architecture, layers, vocabularySize, sizeBytes, draft };
    return await loadTiny({ ...files, slots: 1, threads: undefined });
  }

  const ask = async (model: Tiny, content: string, topLogprobs?: number) =>
    await model.ask([], { prompt: { segments: chatOf(content) }, maxTokens: 100, topLogprobs });

  it("gives the same probabilities", async ({ skip }) => {
    const [plain, drafting] = [await load(undefined), await load({ isForced: true })];
    if (plain === undefined || drafting === undefined) return skip();
    let [drafted, accepted] = [0, 0];
    try {
      for (const question of questions) {
        const [expected, answer] = [
          await ask(plain, question, 4),
          await ask(drafting, question, 4),
        ];
        drafted += answer.done.statistics.drafted ?? 0;
        accepted += answer.done.statistics.accepted ?? 0;
        expect(distance(expected, answer)).toBeLessThan(0.2);
      }
      expect(drafting.facts.warnings).toEqual([]);
      expect(accepted).toBeGreaterThan(20);
      expect(accepted).toBeLessThan(drafted);
    } finally {
      await Promise.all([plain.runner.stop(), drafting.runner.stop()]);
    }
  }, 600_000);

  it("is not slower than the model alone, since drafts are switched off where they are", async ({
    skip,
  }) => {
    const [plain, drafting] = [await load(undefined), await load({})];
    if (plain === undefined || drafting === undefined) return skip();
    const msPerToken = { plain: 0, drafting: 0 };
    const measure = async (name: keyof typeof msPerToken, model: Tiny, question: string) => {
      const { completionMs, completionTokens } = (await ask(model, question)).done.statistics;
      msPerToken[name] += completionMs / completionTokens;
      // The draft model reads the answer.
      if (model === drafting) await wait(6000);
    };
    try {
      // In turn, as the machine's speed changes.
      for (const [at, question] of questions.entries()) {
        if (at % 2 === 1) await measure("plain", plain, question);
        await measure("drafting", drafting, question);
        if (at % 2 === 0) await measure("plain", plain, question);
      }
      const speed = msPerToken.plain / msPerToken.drafting;
      console.log(`${speed.toFixed(3)} of plain speed`);
      // Two loads of the same model without drafts differ by up to 0.06.
      expect(speed).toBeGreaterThan(0.9);
    } finally {
      await Promise.all([plain.runner.stop(), drafting.runner.stop()]);
    }
  }, 600_000);
});

function chatOf(content: string) {
  return [
    { text: "<|im_start|>", special: true },
    { text: `user\n${content}`, special: false },
    { text: "<|im_end|>", special: true },
    { text: "\n", special: false },
    { text: "<|im_start|>", special: true },
    { text: "assistant\n", special: false },
  ];
}

describe("a draft model that cannot be used", () => {
  /** Returns the sentence with which it is left out, after the model has answered. */
  async function warningOf(start: () => Promise<LoadedMemoryModel>): Promise<string> {
    const model = await start();
    try {
      const { done } = await model.ask(text(40, 1), { maxTokens: 20 });
      expect(done.statistics).toMatchObject({ completionTokens: 20 });
      expect(done.statistics).not.toHaveProperty("drafted");
      return model.facts.warnings.join(" ");
    } finally {
      await model.stop();
    }
  }

  it("is as large as the model", async () => {
    const draft = await draftOf(await memoryModelFile("dense"));
    const sizeBytes = draft.sizeBytes;
    expect(await warningOf(() => dense(draft, { sizeBytes }))).toMatch(
      /^The draft model small is left out: it is not smaller than the model \(\d.*\)\.$/,
    );
  });

  it("has another vocabulary", async () => {
    const other = path.join(folder, "other.gguf");
    const content = readFileSync(await memoryModelFile("dense"));
    const { metadata } = await readGguf(
      await memoryModelFile("dense"),
      (key) => key === "tokenizer.ggml.tokens",
    );
    const tokens = metadata.get("tokenizer.ggml.tokens");
    const named = typeof tokens === "object" ? String(tokens.values?.[500]) : "";
    const lengthBytes = Buffer.alloc(8);
    lengthBytes.writeBigUInt64LE(BigInt(Buffer.byteLength(named)));
    const at = content.indexOf(Buffer.concat([lengthBytes, Buffer.from(named)])) + 8;
    content.write("~", at);
    writeFileSync(other, content);
    const draft = await draftOf(other);
    expect(await warningOf(() => dense(draft))).toBe(
      "The draft model small is left out: its vocabulary is another one (token 500).",
    );
  });

  it("has a vocabulary of another size", async () => {
    const draft = await draftOf(await memoryModelFile("dense"), { vocabularySize: 32_000 });
    expect(await warningOf(() => dense(draft))).toBe(
      "The draft model small is left out: its vocabulary is another one (32000 tokens, not 786).",
    );
  });

  it("has recurrent states, or the model has", async () => {
    const recurrent = await draftOf(await memoryModelFile("recurrent"));
    expect(await warningOf(() => dense(recurrent))).toMatch(/left out: it has recurrent states/);
    const draft = await draftOf(await memoryModelFile("dense"), { sizeBytes: 1 });
    expect(await warningOf(() => loadMemoryModel("hybrid", { draft }))).toMatch(
      /left out: the model has recurrent states/,
    );
  });

  it("has no file that llama.cpp can read", async () => {
    const broken = path.join(folder, "broken.gguf");
    writeFileSync(broken, readFileSync(await memoryModelFile("dense")).subarray(0, 4000));
    const draft = await draftOf(await memoryModelFile("dense"), { modelPath: broken });
    expect(await warningOf(() => dense(draft))).toBe(
      "The draft model small is left out: llama.cpp refuses its file.",
    );
  });
});

describe.skipIf(!hasExtension("cpu"))("a draft model of a model that sees", () => {
  it("reads the text around an image, and changes nothing", async () => {
    const question = look("What color is this image?", image("red.png"));
    const ask = async (draft: DraftSettings | undefined) => {
      const vision = await loadVision("built", { slots: 1, sizeBytes: 2e6, draft });
      try {
        const first = await vision.ask([question], { topLogprobs: 4, maxTokens: 60 });
        // The draft model reads the conversation.
        await wait(draft === undefined ? 0 : 600);
        const second = await vision.ask([question], { topLogprobs: 4, maxTokens: 60 });
        return { answers: [first, second], warnings: vision.facts.warnings };
      } finally {
        await vision.runner.stop();
      }
    };
    const expected = await ask(undefined);
    const drafted = await ask(await draftOf(await memoryModelFile("dense"), { isForced: true }));
    expect(drafted.warnings).toEqual([]);
    for (const [at, answer] of drafted.answers.entries()) {
      expect(answer.done.statistics.drafted).toBeGreaterThan(0);
      expect(distance(expected.answers[at] ?? answer, answer)).toBeLessThan(tolerance);
    }
  }, 120_000);
});
