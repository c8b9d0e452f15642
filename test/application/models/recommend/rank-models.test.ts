// Ranking of models for a machine, over replies of a hub.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KeptListing } from "../../../../source/application/models/recommend/kept-listing.ts";
import {
  type Machine,
  rankFor,
  reasonForNone,
  recommendedOf,
} from "../../../../source/application/models/recommend/rank-models.ts";
import type { SuitableModel } from "../../../../source/application/models/recommend/suitable-model.ts";
import { readHubSettings } from "../../../../source/store/hub/hub-settings.ts";
import { sampleRepositories } from "../../../support/hub-models.ts";
import { type LoopbackHub, startLoopbackHub } from "../../../support/loopback-hub.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const gib = 1024 ** 3;
const nowMs = Date.UTC(2026, 5, 1);

let hub: LoopbackHub;
beforeAll(async () => {
  hub = await startLoopbackHub(sampleRepositories(nowMs));
});
afterAll(async () => await hub.close());

async function work() {
  const settings = await readHubSettings({ HOME: "/nowhere" }, { endpoint: hub.url });
  return { settings, signal: AbortSignal.timeout(60_000) };
}

async function listed(folder = temporaryFolder(), now = () => nowMs) {
  const listing = new KeptListing(folder, now);
  return { listing, ...(await listing.read(await work())) };
}

/** A laptop without a card that others can use. */
const laptop: Machine = {
  memoryBytes: 16 * gib,
  cardBytes: undefined,
  diskBytes: 200e9,
  cpu: { bytesPerSecond: 60e9, factor: 0.9 },
  gpu: undefined,
};

const names = (models: readonly { purpose: string; model: SuitableModel }[]) =>
  Object.fromEntries(models.map(({ purpose, model }) => [purpose, model.repo]));

describe("recommended for a machine", () => {
  test("is one model for each purpose: large, new, of a known publisher", async () => {
    const { models } = await listed();
    expect(names(recommendedOf(models, laptop, nowMs))).toEqual({
      best: "unsloth/Aster-8B-GGUF",
      fast: "unsloth/Aster-1.7B-GGUF",
      code: "Qwen/Scribe-Coder-3B-GGUF",
      vision: "ggml-org/Lookout-4B-GGUF",
      embeddings: "nomic-ai/textus-embed-GGUF",
    });
    const [first] = recommendedOf(models, laptop, nowMs);
    expect(first?.speed.expected?.low).toBeGreaterThan(5);
    expect(first?.diskAfterBytes).toBeLessThan(196e9);
    expect(first?.memoryBytes).toBeGreaterThan((first?.model.sizeBytes ?? 0) + gib);
  });

  test("counts the experts that a token uses, on a large machine", async () => {
    const { models } = await listed();
    const [best] = rankFor("best", models, { ...laptop, memoryBytes: 48 * gib }, nowMs);
    // The dense model of that size would answer too slowly.
    expect(best?.model.repo).toBe("unsloth/Aster-30B-A3B-GGUF");
  });

  test("lists each model once, whoever publishes it", async () => {
    const { models } = await listed();
    const found = rankFor("best", models, laptop, nowMs).map(({ model }) => model.repo);
    expect(found).toContain("unsloth/Aster-8B-GGUF");
    expect(found).not.toContain("bartowski/acme_Aster-8B-GGUF");
    expect(found.join()).not.toMatch(/base|Closed|stranger/);
  });

  test("leaves slow ones out, and takes small ones for fast where no speed is known", async () => {
    const { models } = await listed();
    const slow = { ...laptop, cpu: { bytesPerSecond: 10e9, factor: 0.9 } };
    const [best] = rankFor("best", models, slow, nowMs);
    expect(best?.model.repo).toBe("unsloth/Aster-1.7B-GGUF");
    const unknown = { ...laptop, cpu: undefined };
    const [fast] = rankFor("fast", models, unknown, nowMs);
    expect(fast?.model.sizeBytes).toBeLessThan(3e9);
    expect(fast?.speed).toEqual({});
  });

  test.each<[string, Partial<Machine>, ReturnType<typeof reasonForNone>]>([
    ["2 GiB of memory", { memoryBytes: 2 * gib }, undefined],
    ["half a GiB", { memoryBytes: gib / 2 }, { short: "memory", smallest: expect.anything() }],
    ["200 MB of disk", { diskBytes: 200e6 }, { short: "disk", smallest: expect.anything() }],
  ])("fits %s, or the reason is known", async (_, change, reason) => {
    const { models } = await listed();
    const machine = { ...laptop, ...change };
    const found = recommendedOf(models, machine, nowMs);
    if (reason === undefined) {
      expect(names(found)).toMatchObject({ best: "unsloth/Aster-0.6B-GGUF" });
      return;
    }
    expect(found).toEqual([]);
    expect(reasonForNone(models, machine)).toEqual(reason);
  });
});

describe("the list", () => {
  test("is kept for a day, and for longer without a hub", async () => {
    const folder = temporaryFolder();
    const { listing, models } = await listed(folder);
    const asked = hub.requests.length;
    const kept = await listing.kept(hub.url);
    expect(kept?.models).toEqual(models);
    expect(hub.requests).toHaveLength(asked);
    expect(kept && listing.isFresh(kept)).toBe(true);
    const later = new KeptListing(folder, () => nowMs + 25 * 3_600_000);
    expect(kept && later.isFresh(kept)).toBe(false);
    expect(await later.kept("https://other.example")).toBeUndefined();
  });

  test("learns the sizes of files, and drops what cannot be listed", async () => {
    const { listing, models, readAtMs } = await listed();
    const wanted = models.filter(({ repo }) => /Aster-8B|Lookout/.test(repo));
    hub.setFaults(({ path }) => (path.includes("bartowski") ? { status: 404 } : undefined));
    const measured = await listing.measured({ models, readAtMs }, wanted, await work());
    hub.setFaults(undefined);
    const found = measured.models.filter(({ isExact }) => isExact);
    expect(found.map(({ repo, sizeBytes }) => [repo, sizeBytes])).toEqual([
      // With its projector.
      ["ggml-org/Lookout-4B-GGUF", 3.3e9],
      ["unsloth/Aster-8B-GGUF", 5e9],
    ]);
    expect(measured.models.map(({ repo }) => repo)).not.toContain("bartowski/acme_Aster-8B-GGUF");
  });

  test("of a proxy that answers HTML is an error, as is that of no hub", async () => {
    hub.setFaults(() => ({ status: 200, body: "<html>Sign in</html>" }));
    await expect(listed()).rejects.toThrow("its reply is not JSON");
    hub.setFaults(() => ({ status: 503 }));
    await expect(listed()).rejects.toThrow();
    hub.setFaults(undefined);
  });
});
