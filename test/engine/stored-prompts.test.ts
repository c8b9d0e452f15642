// Prompts that outlive a model on disk: after a restart it answers as if it read them anew, whatever has
// become of the files.
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
import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../performance/random.ts";
import { distance, loadMemoryModelFile } from "../support/load-memory-model.ts";
import type { Answer } from "../support/load-tiny.ts";
import { type MemoryModel, writeMemoryModel } from "../support/memory-models.ts";
import { proofCases, proofRounds } from "../support/proof.ts";

/** Rounding differs by how a prompt is cut; a wrong state is off by far more. */
const tolerance = 0.05;
/** The context keeps a step's tokens beyond the sliding window: with small steps it drops them soon. */
const tight = { batchSize: 64, slots: 2 };

function text(length: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length }, () => 20 + (random() % 700));
}

async function machine(kind: MemoryModel) {
  const home = mkdtempSync(path.join(tmpdir(), "modelctl-stored-prompts-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const modelPath = path.join(home, `${kind}.gguf`);
  await writeMemoryModel(modelPath, kind);
  const folder = path.join(home, "cache", "prompts");
  const load = async (changes: Parameters<typeof loadMemoryModelFile>[1] = {}) => {
    const limits = { budgetBytes: 2 ** 30, maximumAgeMs: undefined };
    const promptCache = { folder, ...limits, model: `${kind}:latest`, parts: [modelPath] };
    const model = await loadMemoryModelFile(modelPath, { ...tight, promptCache, ...changes });
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
  it("answers after a restart as when read cold, from the disk", async () => {
    const { load, files, folder } = await machine(kind);
    const system = text(1500, 1);
    const ask = (seed: number) => [...system, ...text(400, seed)];
    const first = await load();
    // The second one finds out what is shared.
    await first.ask(ask(2));
    await first.ask(ask(3));
    await first.stop();
    expect(files().length).toBeGreaterThan(0);
    for (const file of files()) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [again, cold] = await Promise.all([load(), load({ promptCache: undefined, slots: 1 })]);
    for (const [index, temperature] of [0, 1].entries()) {
      const tokens = ask(4 + index);
      const answer = await again.ask(tokens, { temperature });
      if (index === 0) expect(startOf(answer).from).toBe("disk");
      expect(startOf(answer).tokens).toBeGreaterThanOrEqual(1500);
      // Whatever shares nothing with the prompt takes its place.
      await cold.ask([(tokens[0] ?? 0) + 1], { maxTokens: 1 });
      expect(distance(await cold.ask(tokens, { temperature }), answer)).toBeLessThan(tolerance);
    }
    expect(again.warnings).toEqual([]);
  }, 60_000);

  it("spares another conversation's question the system prompt of the only one so far", async () => {
    const { load } = await machine(kind);
    const system = [start, ...text(1500, 1), end];
    const ask = (seed: number) => [...system, start, ...text(400, seed), end, start, ...text(2, 0)];
    const first = await load();
    await first.ask(ask(2));
    await first.stop();
    const again = await load();
    const answer = await again.ask(ask(3));
    expect(startOf(answer).from).toBe("disk");
    expect(startOf(answer).tokens).toBeGreaterThanOrEqual(1500);
    expect(again.warnings).toEqual([]);
  }, 60_000);

  it("answers as when read cold, however often it is restarted, killed and left", async () => {
    const { load } = await machine(kind);
    const cold = await load({ promptCache: undefined, slots: 1 });
    const random = createRandom(13);
    const book = text(1500, 3);
    const draw = () => {
      const from = random() % 4 === 0 ? 1000 + (random() % 400) : book.length;
      return [...book.slice(0, from), ...text(1 + (random() % 300), random() % 3)];
    };
    const sources = new Set<string | undefined>();
    for (let round = 0; round < proofRounds(40); round += 1) {
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

describe("files that are not what they were", () => {
  const prompt = text(1500, 1);
  const flip = (file: string, at: (bytes: number) => number) => {
    const bytes = readFileSync(file);
    const place = Math.floor(at(bytes.length));
    bytes[place] = (bytes[place] ?? 0) ^ 16;
    writeFileSync(file, bytes);
  };

  it.each<[string, (file: string) => void]>([
    ["a flipped bit in the state", (file) => flip(file, (bytes) => bytes / 2)],
    ["another version", (file) => flip(file, (bytes) => bytes - 24)],
    [
      "a link in its place",
      (file) => {
        renameSync(file, `${file}-elsewhere`);
        symlinkSync(`${file}-elsewhere`, file);
      },
    ],
  ])(
    "%s: the answer is right, one line is logged, and the file goes",
    async (_, damage) => {
      const { load, files } = await machine("dense");
      const first = await load();
      const expected = await first.ask(prompt);
      await first.stop();
      const [file = "", ...others] = files();
      expect(others).toEqual([]);
      damage(file);
      const again = await load();
      const answer = await again.ask(prompt);
      expect(startOf(answer).tokens).toBe(0);
      expect(distance(expected, answer)).toBeLessThan(tolerance);
      expect(again.warnings).toEqual([expect.stringMatching(/^the stored prompt .* was removed$/)]);
      expect(files()).not.toContain(file);
    },
    30_000,
  );

  it("a folder that cannot be made: the answer is right, and one line is logged", async () => {
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

  it("two servers on one folder: both answer, and use what the other has written", async () => {
    const { load, files } = await machine("dense");
    const [one, other] = await Promise.all([load(), load()]);
    const expected = await one.ask(prompt);
    await other.ask(text(1500, 2));
    await Promise.all([one.stop(), other.stop()]);
    expect(files()).toHaveLength(2);
    const [third, fourth] = await Promise.all([load(), load()]);
    const answers = await Promise.all([third, fourth].map((model) => model.ask(prompt)));
    for (const answer of answers) {
      expect(startOf(answer).from).toBe("disk");
      expect(distance(expected, answer)).toBeLessThan(tolerance);
    }
  }, 30_000);
});

it("another window, another cache type and other slots find nothing that is theirs", async () => {
  const { load, files } = await machine("dense");
  const prompt = text(1500, 1);
  const first = await load();
  await first.ask(prompt);
  await first.stop();
  expect(files()).toHaveLength(1);
  for (const changes of [{ contextLength: 3072 }, { kvCacheType: "q8_0" as const }, { slots: 3 }]) {
    const model = await load(changes);
    expect(startOf(await model.ask(prompt)).tokens).toBe(0);
    await model.stop();
  }
}, 60_000);
