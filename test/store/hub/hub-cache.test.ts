// Files that the hub's own tools or llama.cpp fetched before are shared, not fetched again.
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hashOf, newFolder, openHub, pull, sentBytes, settingsFor } from "./pulling.ts";

const content = Buffer.alloc(300_000, "weights ");
const longAgo = new Date("2020-02-02");

async function withCached(bytes: Buffer, variables: (home: string) => NodeJS.ProcessEnv) {
  const hub = await openHub({
    repositories: { "owner/name": { files: { "a-Q4_0.gguf": content } } },
  });
  const home = newFolder();
  const digits = hub.sha256Of("owner/name", "a-Q4_0.gguf");
  const cached = path.join(home, "hub", "models--owner--name", "blobs", digits);
  mkdirSync(path.dirname(cached), { recursive: true });
  writeFileSync(cached, bytes);
  utimesSync(cached, longAgo, longAgo);
  const settings = await settingsFor(hub, variables(home));
  const { model } = await pull(hub, newFolder(), { settings });
  return { hub, cached, blob: model.files[0]?.blobPath ?? "" };
}

test.each([
  ["HF_HOME", (home: string) => ({ HF_HOME: home })],
  ["HF_HUB_CACHE", (home: string) => ({ HF_HUB_CACHE: path.join(home, "hub"), HF_HOME: "/no" })],
])("files are found in the cache named by %s", async (_, variables) => {
  const { hub, cached, blob } = await withCached(content, variables);
  expect(sentBytes(hub)).toBe(0);
  expect(readFileSync(blob)).toEqual(content);
  expect(statSync(cached).mtime).toEqual(longAgo);
});

test("damaged files there are not used", async () => {
  const damaged = Buffer.concat([content.subarray(1), Buffer.from("!")]);
  const { hub, cached, blob } = await withCached(damaged, (home) => ({ HF_HOME: home }));
  expect(sentBytes(hub)).toBe(content.length);
  expect(readFileSync(blob)).toEqual(content);
  expect(readFileSync(cached)).toEqual(damaged);
  expect(hashOf(blob)).toBe(`sha256:${path.basename(cached)}`);
});
