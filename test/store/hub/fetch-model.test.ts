// Pulls from a hub that behaves: what ends up in the store, and what is said meanwhile.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findModel } from "../../../source/store/hub/fetch-model.ts";
import type { HubProgress } from "../../../source/store/hub/hub-progress.ts";
import { ModelStore } from "../../../source/store/library/model-store.ts";
import { tinyFile } from "../../support/command-line.ts";
import {
  hashOf,
  newFolder,
  openHub,
  openHubWith,
  pull,
  quick,
  sentBytes,
  settingsFor,
} from "./pulling.ts";

const models = path.dirname(tinyFile);

function expectForwards(progress: readonly HubProgress[]): void {
  const completed = progress.map(({ completedBytes }) => completedBytes);
  expect(completed).toEqual(completed.toSorted((a, b) => a - b));
  expect(progress.at(-1)).toMatchObject({ state: "done", completedBytes: completed.at(-1) });
  for (const { completedBytes, totalBytes } of progress) {
    expect(completedBytes).toBeLessThanOrEqual(totalBytes);
  }
}

describe("a pull", () => {
  test("fetches a model and its projector, each under its hash", async () => {
    const hub = await openHub({
      repositories: {
        "owner/name": {
          files: {
            "tiny-vision-F16.gguf": { file: path.join(models, "tiny-vision.gguf") },
            "mmproj-F16.gguf": { file: path.join(models, "mmproj-tiny-vision.gguf") },
            "README.md": Buffer.from("# A model"),
          },
          inGit: ["README.md"],
        },
      },
    });
    const { model, progress } = await pull(hub, newFolder());
    expect(model).toMatchObject({
      repo: "owner/name",
      revision: hub.commitOf("owner/name"),
      quantization: "F16",
      files: [
        { role: "model", path: "tiny-vision-F16.gguf" },
        { role: "projector", path: "mmproj-F16.gguf" },
      ],
    });
    for (const { blobPath, digest, sizeBytes } of model.files) {
      expect(hashOf(blobPath)).toBe(digest);
      expect(statSync(blobPath).size).toBe(sizeBytes);
    }
    expectForwards(progress);
    expect(progress.at(-1)?.totalBytes).toBe(model.totalBytes);
  });

  test("fetches all shards with one total", async () => {
    const shards = [1, 2, 3].map((index) => `q8/big-Q8_0-0000${index}-of-00003.gguf`);
    const hub = await openHub({
      repositories: {
        "owner/name": {
          files: Object.fromEntries(
            shards.map((path) => [path, { generatedBytes: 300_000, seed: path }]),
          ),
        },
      },
      // A listing of several pages, whose links name another host than the one asked.
      pageSize: 2,
    });
    const { model, progress } = await pull(hub, newFolder(), { reference: { selector: "q8_0" } });
    expect(model.files.map(({ path }) => path)).toEqual(shards);
    expectForwards(progress);
    expect(new Set(progress.map(({ totalBytes }) => totalBytes))).toEqual(new Set([900_000]));
  });

  test("leaves only the blobs", async () => {
    const folder = newFolder();
    const { model } = await pull(await openHubWith(3_000_000), folder);
    expect(readdirSync(path.join(folder, "blobs"))).toEqual(
      model.files.map(({ blobPath }) => path.basename(blobPath)),
    );
  });

  test("of a large file uses several connections", async () => {
    const hub = await openHubWith(3_000_000);
    await pull(hub, newFolder());
    const ranges = hub.requests.flatMap(({ range }) => range ?? []);
    expect(ranges.length).toBeGreaterThanOrEqual(4);
    expect(ranges.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(3_000_000);
  });

  test.each([0, 1, 65_537])("works for a file of %i bytes", async (generatedBytes) => {
    const { progress } = await pull(await openHubWith(generatedBytes), newFolder());
    expectForwards(progress);
  });

  test("uses one connection to the hub", async () => {
    const hub = await openHub({
      repositories: {
        "owner/name": {
          files: { "tiny-F16.gguf": { file: tinyFile }, system: Buffer.from("Be brief.") },
        },
      },
    });
    await pull(hub, newFolder());
    const asked = hub.requests.filter(({ server }) => server === "hub");
    expect(asked.map(({ method }) => method)).toEqual(["GET", "GET", "GET", "HEAD"]);
    expect(new Set(asked.map(({ clientPort }) => clientPort)).size).toBe(1);
  });

  test("of existing files fetches nothing", async () => {
    const hub = await openHubWith(1_000_000);
    const folder = newFolder();
    await pull(hub, folder);
    const before = sentBytes(hub);
    const { progress } = await pull(hub, folder);
    expect(sentBytes(hub)).toBe(before);
    expectForwards(progress);
    expect(progress[0]).toMatchObject({ completedBytes: 1_000_000 });
  });

  test("pins a revision's commit, and fetches its files from that commit", async () => {
    const hub = await openHubWith(1000);
    await pull(hub, newFolder(), { reference: { revision: "main" } });
    const commit = hub.commitOf("owner/name");
    expect(hub.requests.map(({ path }) => path)).toEqual([
      "/api/models/owner/name/revision/main",
      `/api/models/owner/name/tree/${commit}`,
      `/owner/name/resolve/${commit}/a-Q4_K_M.gguf`,
      "/owner/name/a-Q4_K_M.gguf",
    ]);
  });

  test("of a file without a hash on the hub computes it", async () => {
    const hub = await openHub({
      repositories: {
        "owner/name": {
          files: { "with space & #-Q4_0.gguf": { generatedBytes: 200_000 } },
          inGit: ["with space & #-Q4_0.gguf"],
        },
      },
    });
    const folder = newFolder();
    const { model } = await pull(hub, folder);
    expect(model.files[0]?.sha256).toBeUndefined();
    expect(readdirSync(path.join(folder, "blobs"))).toHaveLength(1);
  });

  test("finds a renamed repository", async () => {
    const hub = await openHubWith(1000, { renamed: { "owner/old": "owner/name" } });
    await pull(hub, newFolder(), { reference: { repo: "old" } });
  });

  test("works with a mirror that serves all files itself", async () => {
    const hub = await openHubWith(1_000_000, { noStorage: true });
    await pull(hub, newFolder());
  });

  test("at a low rate uses one connection", async () => {
    const hub = await openHubWith(1_000_000);
    await pull(hub, newFolder(), { limitRateBytesPerSecond: 2_000_000 });
    expect(hub.requests.flatMap(({ range }) => range ?? [])).toEqual([
      { start: 0, end: 1_000_000 },
    ]);
  });
});

test("a model can be looked up without fetching it", async () => {
  const hub = await openHubWith(5000);
  const choice = await findModel(
    { owner: "owner", repo: "name" },
    { settings: await settingsFor(hub), ...quick },
  );
  expect(choice).toMatchObject({ quantization: "Q4_K_M", totalBytes: 5000 });
  expect(sentBytes(hub)).toBe(0);
});

test("a missing shard is found before anything is fetched", async () => {
  const hub = await openHub({
    repositories: {
      "owner/name": { files: { "a-Q4_0-00001-of-00002.gguf": { generatedBytes: 1000 } } },
    },
  });
  const folder = newFolder();
  await expect(pull(hub, folder)).rejects.toMatchObject({ code: "STORE_HUB_SHARDS_INCOMPLETE" });
  expect(sentBytes(hub)).toBe(0);
  expect(new ModelStore(folder).path).toBe(folder);
  expect(readdirSync(folder)).toEqual([]);
});
