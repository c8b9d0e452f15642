// Two pulls of one file at a time, in one process and in two: it is fetched once.
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { HubProgress } from "../../../source/store/hub/hub-progress.ts";
import { until } from "../../support/until.ts";
import {
  hashOf,
  newFolder,
  openHubWith,
  pull,
  sentBytes,
  sentences,
  startPull,
} from "./pulling.ts";

const size = 4_000_000;

describe("two pulls of the same file", () => {
  test("in one process share one download", async () => {
    const hub = await openHubWith(size);
    hub.setFaults(({ server }) =>
      server === "storage" ? { bytesPerSecond: 2_000_000 } : undefined,
    );
    const folder = newFolder();
    const both = await Promise.all([pull(hub, folder), pull(hub, folder)]);
    expect(sentBytes(hub)).toBe(size);
    for (const { progress } of both) {
      expect(progress.at(-1)).toMatchObject({ state: "done", completedBytes: size });
    }
  });

  test("in one process continue when one is cancelled", async () => {
    const hub = await openHubWith(size);
    hub.setFaults(({ server }) =>
      server === "storage" ? { bytesPerSecond: 2_000_000 } : undefined,
    );
    const folder = newFolder();
    const stop = new AbortController();
    const leaving = pull(hub, folder, {
      signal: stop.signal,
      onProgress: ({ completedBytes }) => {
        if (completedBytes > size / 4) stop.abort();
      },
    });
    const staying = pull(hub, folder);
    await expect(leaving).rejects.toMatchObject({ code: "STORE_HUB_CANCELLED" });
    await staying;
    expect(sentBytes(hub)).toBe(size);
  });

  test("in two processes: the second waits, shows the first's progress, and finds the file", async () => {
    const hub = await openHubWith(size);
    hub.setFaults(({ server }) => (server === "storage" ? { bytesPerSecond: 200_000 } : undefined));
    const progress: HubProgress[] = [];
    let saidAt: number | undefined;
    let hasMoved = false;
    const folder = newFolder();
    const child = startPull(hub, folder);
    const output = text(child.stdout);
    await until(
      () => sentBytes(hub),
      (bytes) => bytes > 0,
    );
    const { model } = await pull(hub, folder, {
      onProgress: (report) => {
        progress.push(report);
        const { detail, completedBytes } = report;
        if (detail?.includes("waiting for it")) saidAt = completedBytes;
        else if (saidAt !== undefined && completedBytes > saidAt && completedBytes < size) {
          // A step of the other's was seen: now it may be quick.
          hasMoved = true;
          hub.setFaults(undefined);
        }
      },
    });
    expect(sentences(progress)).toContain(
      "Another process is downloading a-Q4_K_M.gguf: waiting for it.",
    );
    expect(hasMoved).toBe(true);
    const completed = progress.map(({ completedBytes }) => completedBytes);
    expect(completed).toEqual(completed.toSorted((a, b) => a - b));
    const { digest, blobPath } = model.files[0] ?? { digest: "", blobPath: "" };
    expect(hashOf(blobPath)).toBe(digest);
    expect(await output).toContain(digest);
    expect(sentBytes(hub)).toBe(size);
  });

  test("in two processes: the second continues when the first is killed", async () => {
    const hub = await openHubWith(size);
    hub.setFaults(({ server }) => (server === "storage" ? { bytesPerSecond: 500_000 } : undefined));
    const folder = newFolder();
    const child = startPull(hub, folder);
    await until(
      () => sentBytes(hub),
      (bytes) => bytes > size / 8,
    );
    const seen: string[] = [];
    const second = pull(hub, folder, {
      onProgress: ({ detail }) => {
        if (detail !== undefined) seen.push(detail);
      },
    });
    await until(
      () => seen.join(),
      (details) => details.includes("waiting for it"),
    );
    hub.setFaults(undefined);
    child.kill("SIGKILL");
    await second;
    expect(seen.join()).toContain("Resuming ");
  });
});
