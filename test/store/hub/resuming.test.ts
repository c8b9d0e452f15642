// An interrupted pull (by the user, kill -9 or a full disk) continues where it stopped.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { LoopbackHub } from "../../support/loopback-hub.ts";
import { isProof } from "../../support/proof.ts";
import { until } from "../../support/until.ts";
import {
  hashOf,
  newFolder,
  openHub,
  openHubWith,
  pull,
  quick,
  sentBytes,
  sentences,
  startPull,
} from "./pulling.ts";

const size = 4_000_000;
function blobsOf(folder: string): string[] {
  return readdirSync(path.join(folder, "blobs")).sort();
}

function notesOf(folder: string): string {
  const name = blobsOf(folder).find((file) => file.endsWith("-partial.json"));
  return path.join(folder, "blobs", name ?? "there are no notes");
}

/** Pulls slowly and breaks off as soon as so many bytes are there. */
async function breakOff(hub: LoopbackHub, folder: string, afterBytes: number): Promise<number> {
  hub.setFaults(({ server }) => (server === "storage" ? { bytesPerSecond: 2_000_000 } : undefined));
  const stop = new AbortController();
  let completed = 0;
  const pulling = pull(hub, folder, {
    signal: stop.signal,
    onProgress: ({ completedBytes }) => {
      completed = completedBytes;
      if (completedBytes >= afterBytes) stop.abort();
    },
  });
  await expect(pulling).rejects.toMatchObject({ code: "STORE_HUB_CANCELLED", exitCode: 130 });
  hub.setFaults(undefined);
  return completed;
}

describe("a cancelled pull", () => {
  test("continues where it stopped, and says so", async () => {
    const hub = await openHubWith(size);
    const folder = newFolder();
    const completed = await breakOff(hub, folder, size / 3);
    const before = sentBytes(hub);
    const { progress } = await pull(hub, folder);
    expect(progress[0]?.completedBytes).toBeGreaterThanOrEqual(completed);
    expect(sentences(progress)).toContainEqual(
      expect.stringMatching(/^Resuming \S+\.gguf at \d+ %/),
    );
    expect(sentBytes(hub) - before).toBeLessThanOrEqual(size - completed);
  });

  test("before the first request sends none", async () => {
    const hub = await openHubWith(size);
    const pulling = pull(hub, newFolder(), { signal: AbortSignal.abort() });
    await expect(pulling).rejects.toMatchObject({ code: "STORE_HUB_CANCELLED" });
    expect(hub.requests).toEqual([]);
  });

  test("ends at once while it waits for a retry", async () => {
    const hub = await openHubWith(size);
    hub.setFaults(({ server }) => (server === "storage" ? { status: 500 } : undefined));
    const stop = new AbortController();
    const pulling = pull(hub, newFolder(), {
      signal: stop.signal,
      connection: { retryPolicy: { tries: 3, firstDelayMs: 1e6, longestDelayMs: 1e6 } },
      onProgress: ({ state }) => {
        if (state === "retrying") stop.abort();
      },
    });
    await expect(pulling).rejects.toMatchObject({ code: "STORE_HUB_CANCELLED" });
  });

  test.each<[string, (folder: string) => void]>([
    ["damaged notes", (folder) => writeFileSync(notesOf(folder), '{"version":1,"ra')],
    ["notes of a later version", (folder) => writeFileSync(notesOf(folder), '{"version":9}')],
    [
      "notes that claim too much",
      (folder) =>
        writeFileSync(
          notesOf(folder),
          readFileSync(notesOf(folder), "utf8").replace(/"end":\d+/, `"end":${size + 9}`),
        ),
    ],
  ])("starts over with %s", async (_, damage) => {
    const hub = await openHubWith(size);
    const folder = newFolder();
    await breakOff(hub, folder, size / 3);
    damage(folder);
    const { progress } = await pull(hub, folder);
    expect(sentences(progress)).toContainEqual(expect.stringMatching(/^Starting over: .*damaged/));
  });

  test("starts over when bytes listed in the notes are missing", async () => {
    const hub = await openHubWith(size);
    const folder = newFolder();
    await breakOff(hub, folder, size / 3);
    writeFileSync(notesOf(folder).replace(/\.json$/, ""), "short");
    await pull(hub, folder);
  });
});

describe("a file without a hash from the hub", () => {
  test("that was replaced meanwhile is started over, with a note", async () => {
    const hub = await openHub({
      repositories: {
        "owner/name": { files: { "a.gguf": { generatedBytes: size } }, inGit: ["a.gguf"] },
      },
    });
    const folder = newFolder();
    await breakOff(hub, folder, size / 3);
    await hub.setFile("owner/name", "a.gguf", { generatedBytes: size, seed: "another" });
    const { progress } = await pull(hub, folder);
    expect(sentences(progress)).toContain("Starting over: the file changed on the hub.");
    await hub.setFile("owner/name", "a.gguf", { generatedBytes: size });
    await breakOff(hub, folder, size / 3);
    await hub.setFile("owner/name", "a.gguf", { generatedBytes: size + 1 });
    expect(sentences((await pull(hub, folder)).progress)).toContain(
      "Starting over: the file's size changed on the hub.",
    );
  });
});

test("kill -9 at any moment loses little, and the next pull continues", async () => {
  const large = 4 * size;
  const hub = await openHubWith(large);
  const folder = newFolder();
  hub.setFaults(({ server }) => (server === "storage" ? { bytesPerSecond: 800_000 } : undefined));
  const rounds = isProof ? 8 : 2;
  let kills = 0;
  let before = 0;
  // Each process is killed as soon as the storage has sent it something, or a little more.
  while (kills < rounds) {
    const child = startPull(hub, folder);
    const goal = sentBytes(hub) + 1 + (kills * 2_400_000) / rounds;
    await until(
      () => sentBytes(hub),
      (bytes) => bytes >= goal || child.exitCode !== null,
    );
    if (child.exitCode !== null) break;
    child.kill("SIGKILL");
    await once(child, "close");
    kills += 1;
    for (const name of blobsOf(folder)) expect(name).toMatch(/-partial(\.json(\.new)?)?$/);
    before = sentBytes(hub);
  }
  expect(kills).toBe(rounds);
  hub.setFaults(undefined);
  const child = startPull(hub, folder);
  const output = await text(child.stdout);
  const lines = output.trim().split("\n");
  const result: unknown = JSON.parse(lines.at(-1) ?? "");
  const digest = `sha256:${hub.sha256Of("owner/name", "a-Q4_K_M.gguf")}`;
  expect(result).toEqual({ digests: [digest] });
  expect(blobsOf(folder)).toEqual([digest.replace(":", "-")]);
  expect(hashOf(path.join(folder, "blobs", digest.replace(":", "-")))).toBe(digest);
  // Bytes fetched by the killed processes were reused.
  expect(sentBytes(hub) - before).toBeLessThan(large);
});

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("a small disk", () => {
  function mountSmallDisk(sizeBytes: number): string {
    const folder = newFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes}`, "tmpfs", folder]);
    onTestFinished(() => void execFileSync("umount", [folder]));
    return folder;
  }

  test("is found too small before anything is fetched", async () => {
    const hub = await openHubWith(size);
    const disk = mountSmallDisk(1024 ** 2);
    const folder = path.join(disk, "store");
    await expect(pull(hub, folder)).rejects.toMatchObject({
      code: "STORE_DISK_FULL",
      message: expect.stringMatching(
        /^Not enough disk space for .*blobs: 4 MB needed, 1(\.\d)? MB free\.$/,
      ),
    });
    expect(sentBytes(hub)).toBe(0);
  });

  test("that fills up keeps what was fetched, and the pull continues when there is space", async () => {
    const hub = await openHubWith(size);
    const disk = mountSmallDisk(6 * 1024 ** 2);
    const folder = path.join(disk, "store");
    mkdirSync(folder);
    const ballast = path.join(disk, "ballast");
    // Another program fills the disk once the download has begun.
    hub.setFaults(({ server, earlier }) => {
      if (server === "storage" && earlier === 0) writeFileSync(ballast, Buffer.alloc(4_300_000));
      return undefined;
    });
    await expect(pull(hub, folder)).rejects.toMatchObject({
      code: "STORE_DISK_FULL",
      message: expect.stringContaining("Disk full"),
      hint: expect.stringContaining("to resume"),
    });
    const notes: unknown = JSON.parse(readFileSync(notesOf(folder), "utf8"));
    expect(notes).toMatchObject({ sizeBytes: size });
    execFileSync("rm", [ballast]);
    hub.setFaults(undefined);
    const before = sentBytes(hub);
    const { progress } = await pull(hub, folder);
    expect(sentences(progress)).toContainEqual(
      expect.stringMatching(/^Resuming \S+\.gguf at [1-9]\d? %/),
    );
    expect(sentBytes(hub) - before).toBeLessThan(size);
  });
});

test("a complete file without its final name is not fetched again", async () => {
  const hub = await openHubWith(size);
  const folder = newFolder();
  const { model } = await pull(hub, folder);
  const { blobPath = "", sha256 = "" } = model.files[0] ?? {};
  // As after a kill between the last byte and the name.
  execFileSync("mv", [blobPath, `${blobPath}-partial`]);
  const notes = { version: 1, sizeBytes: size, sha256, ranges: [{ start: 0, end: size }] };
  writeFileSync(`${blobPath}-partial.json`, JSON.stringify(notes));
  const before = sentBytes(hub);
  await pull(hub, folder, quick);
  expect(sentBytes(hub)).toBe(before);
  expect(statSync(blobPath).size).toBe(size);
  expect(blobsOf(folder)).toEqual([path.basename(blobPath)]);
});
