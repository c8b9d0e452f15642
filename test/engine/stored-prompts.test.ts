// Prompts stored on disk: after a restart a model answers as without them, even if files were
// damaged.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { LoadSettings } from "../../source/engine/runner/load-settings.ts";
import { createRandom } from "../performance/random.ts";
import {
  distance,
  type LoadedMemoryModel,
  loadMemoryModel,
  memoryModelFile,
} from "../support/load-memory-model.ts";
import type { Answer } from "../support/load-tiny.ts";
import type { MemoryModel } from "../support/memory-models.ts";
import { isProof, proofCases } from "../support/proof.ts";

/** Tolerance: rounding depends on how a prompt is cut; a wrong state is off by far more. */
const tolerance = 0.05;
/** The context keeps a step's tokens beyond the sliding window: small steps make it drop them early. */
const tight = { batchSize: 64, slots: 2 };
/** Tokens of a prompt that is worth storing, and of one that is where only a part can be restored. */
const [long, longer] = [1100, 1500];

function text(length: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length }, () => 20 + (random() % 700));
}

async function machine(kind: MemoryModel) {
  const home = mkdtempSync(path.join(tmpdir(), "modelctl-stored-prompts-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = path.join(home, "cache", "prompts");
  const parts = [await memoryModelFile(kind)];
  const load = async (changes: Parameters<typeof loadMemoryModel>[1] = {}) => {
    const limits = { budgetBytes: 2 ** 30, maxAgeMs: undefined };
    const promptCache = { folder, ...limits, model: `${kind}:latest`, parts };
    const model = await loadMemoryModel(kind, { ...tight, promptCache, ...changes });
    onTestFinished(model.stop);
    return model;
  };
  const files = () => readdirSync(folder).map((name) => path.join(folder, name));
  return { load, files, folder };
}

function startOf({ events }: Answer) {
  const started = events.find((event) => event.type === "started");
  return { from: started?.cachedFrom, tokens: started?.cachedTokens };
}

// tiny's control tokens around a message
const [start, end] = [6, 7];

const kinds = proofCases<MemoryModel>(["sliding"], ["recurrent", "dense", "mixture", "hybrid"]);

describe.each(kinds)("%s memory", (kind) => {
  let cold: LoadedMemoryModel;
  beforeAll(async () => {
    cold = await loadMemoryModel(kind, { ...tight, slots: 1 });
  });
  afterAll(async () => await cold.stop());

  it("answers after a restart as without a cache, from the disk", async () => {
    const { load, files, folder } = await machine(kind);
    const system = text(longer, 1);
    const ask = (seed: number) => [...system, ...text(400, seed)];
    // A conversation whose system prompt no other one shares yet.
    const only = [start, ...text(longer, 11), end];
    const chat = (seed: number) => [...only, start, ...text(400, seed), end, start, ...text(2, 0)];
    const first = await load();
    // The second one reveals the shared part.
    await first.ask(ask(2));
    await first.ask(ask(3));
    await first.ask(chat(2));
    await first.stop();
    expect(files().length).toBeGreaterThan(0);
    for (const file of files()) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const again = await load();
    for (const [index, temperature] of [0, 1].entries()) {
      const tokens = ask(4 + index);
      const answer = await again.ask(tokens, { temperature });
      if (index === 0) expect(startOf(answer).from).toBe("disk");
      expect(startOf(answer).tokens).toBeGreaterThanOrEqual(longer);
      // A prompt that shares nothing with it takes its slot.
      await cold.ask([(tokens[0] ?? 0) + 1], { maxTokens: 1 });
      expect(distance(await cold.ask(tokens, { temperature }), answer)).toBeLessThan(tolerance);
    }
    const another = startOf(await again.ask(chat(3)));
    expect(another.from).toBe("disk");
    expect(another.tokens).toBeGreaterThanOrEqual(longer);
    expect(again.warnings).toEqual([]);
  }, 60_000);

  it("answers as without a cache after restarts, kills and pauses", async () => {
    const { load } = await machine(kind);
    const random = createRandom(13);
    const book = text(longer, 3);
    const draw = () => {
      const from = random() % 4 === 0 ? 1000 + (random() % 400) : book.length;
      return [...book.slice(0, from), ...text(1 + (random() % 300), random() % 3)];
    };
    const sources = new Set<string | undefined>();
    for (let round = 0; round < (isProof ? 40 : 4); round += 1) {
      const model = await load();
      const aborting = new AbortController();
      const asked = [draw(), draw()].map((tokens) => ({ tokens, temperature: random() % 2 }));
      const left = model.ask(draw(), { maxTokens: 60, signal: aborting.signal });
      setTimeout(() => aborting.abort(), random() % 60);
      const answers = await Promise.all(
        asked.map(({ tokens, temperature }) => model.ask(tokens, { temperature })),
      );
      await left;
      await (round % 3 === 1 ? model.kill() : model.stop());
      expect(model.warnings).toEqual([]);
      for (const [index, { tokens, temperature }] of asked.entries()) {
        const answer = answers[index];
        if (answer === undefined) throw new Error("an answer is missing");
        sources.add(startOf(answer).from);
        await cold.ask([(tokens[0] ?? 0) + 1], { maxTokens: 1 });
        expect(distance(await cold.ask(tokens, { temperature }), answer)).toBeLessThan(tolerance);
      }
    }
    expect(sources).toContain("disk");
  }, 300_000);
});

describe("damaged files", () => {
  const prompt = text(long, 1);
  const flip = (file: string, at: (bytes: number) => number) => {
    const bytes = readFileSync(file);
    const place = Math.floor(at(bytes.length));
    bytes[place] = (bytes[place] ?? 0) ^ 16;
    writeFileSync(file, bytes);
  };

  it("the answers are right, a line is logged for each, and the files go", async () => {
    const { load, files } = await machine("dense");
    const prompts = [1, 2, 3].map((seed) => text(long, seed));
    const ask = async (model: Awaited<ReturnType<typeof load>>) => {
      const answers: Answer[] = [];
      for (const prompt of prompts) answers.push(await model.ask(prompt));
      return answers;
    };
    const first = await load({ slots: 3 });
    const expected = await ask(first);
    await first.stop();
    const [one = "", two = "", three = "", ...others] = files();
    expect(others).toEqual([]);
    flip(one, (bytes) => bytes / 2); // the state
    flip(two, (bytes) => bytes - 24); // the version
    renameSync(three, `${three}-elsewhere`);
    symlinkSync(`${three}-elsewhere`, three);
    const again = await load({ slots: 3 });
    for (const [index, answer] of (await ask(again)).entries()) {
      expect(startOf(answer).tokens).toBe(0);
      expect(distance(expected[index] ?? answer, answer)).toBeLessThan(tolerance);
    }
    expect(again.warnings).toEqual(
      Array(3).fill(expect.stringMatching(/^the stored prompt .* was removed$/)),
    );
    for (const file of [one, two, three]) expect(files()).not.toContain(file);
  }, 30_000);

  it("without a folder the answer is right, and one line is logged", async () => {
    const { load, folder } = await machine("dense");
    mkdirSync(path.dirname(folder));
    writeFileSync(folder, "in its place");
    const model = await load();
    expect((await model.ask(prompt)).done.reason).toBe("length");
    await model.stop();
    expect(model.warnings).toEqual([
      expect.stringMatching(/^prompts cannot be stored on disk: it or a folder above it is a file/),
    ]);
  }, 30_000);

  it("two servers share a folder: both answer, and use each other's files under the same settings", async () => {
    const { load, files } = await machine("dense");
    const [one, other] = await Promise.all([load(), load()]);
    const expected = await one.ask(prompt);
    await other.ask(text(long, 2));
    await Promise.all([one.stop(), other.stop()]);
    expect(files()).toHaveLength(2);
    const third = await load();
    const [answer, stranger] = [await third.ask(prompt), await third.ask(text(long, 2))];
    expect([answer, stranger].map((each) => startOf(each).from)).toEqual(["disk", "disk"]);
    expect(distance(expected, answer)).toBeLessThan(tolerance);
    const changed = proofCases<Partial<LoadSettings>>(
      [{ slots: 3 }],
      [{ contextLength: 3072 }, { kvCacheType: "q8_0" }],
    );
    for (const changes of changed) {
      const model = await load(changes);
      expect(startOf(await model.ask(prompt)).tokens).toBe(0);
      await model.stop();
    }
  }, 60_000);
});
