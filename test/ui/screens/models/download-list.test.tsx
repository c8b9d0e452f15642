// Tests the downloads below the list: progress, speed, time left, and failures.

import { describe, expect, test } from "vitest";
import {
  addProgress,
  type Download,
  failDownload,
  pauseDownload,
  startDownload,
} from "../../../../source/client/download.ts";
import {
  DownloadList,
  downloadListHeight,
} from "../../../../source/ui/screens/models/download-list.tsx";
import { renderAt } from "../../support/render.tsx";
import { nowMs } from "./sample-models.ts";

const record = { status: "pulling x", overall_total: 1000e6, overall_completed: 430e6 };
const begun = addProgress(
  startDownload("hf.co/org/new:Q4_K_M"),
  { ...record, overall_completed: 330e6 },
  nowMs - 1000,
);
const download = addProgress(begun, record, nowMs);

function linesOf(downloads: readonly Download[], height = 10, isAscii = false) {
  const list = <DownloadList downloads={downloads} width={68} heightMaximum={height} />;
  return renderAt(list, { columns: 68, nowMs, isAscii }).lines();
}

function heightOf(downloads: readonly Download[], heightMaximum: number): number {
  return downloadListHeight(downloads, { width: 68, heightMaximum });
}

test("shows share, bytes, speed and time left", () => {
  expect(linesOf([download])).toEqual([
    "Downloads",
    `hf.co/org/new:Q4_K_M     ${"█".repeat(9)}${"░".repeat(13)}  43%  430 MB of 1 GB`,
    "                         100 MB/s · 6 s left · sha256 pending",
  ]);
  expect(linesOf([download], 10, true)[1]).toContain("#########.............  43%");
});

describe("the state", () => {
  test("is the server's until the first bytes", () => {
    expect(linesOf([startDownload("m:latest")])[2]?.trim()).toBe("pulling manifest");
  });

  test("of a pause or failure says how to resume", () => {
    expect(linesOf([pauseDownload(download)])[2]).toMatch(/paused · Space resume · x cancel$/);
    const broken = failDownload(download, "org/new is gated: accept its terms first.");
    expect(linesOf([broken])[2]).toBe("✗ org/new is gated: accept its terms first. · r retry");
  });

  test("of a failure is read whole, in up to three rows", () => {
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
    const lines = linesOf([failDownload(download, words)]);
    expect(lines).toHaveLength(1 + 1 + 3);
    expect(lines[2]).toMatch(/^✗ word0 word1 .*word\d+$/);
    expect(lines[4]).toMatch(/^word\d+ .*…$/);
  });

  test("cannot send control sequences", () => {
    expect(linesOf([failDownload(download, "\u001b[2J")])[2]).toContain("✗ ^[[2J");
  });
});

describe("the height", () => {
  const three = ["a", "b", "c"].map((name) => startDownload(`${name}:latest`));

  test("fits all downloads if there is room", () => {
    expect(heightOf(three, 20)).toBe(7);
    expect(heightOf(three, 6)).toBe(5);
    expect(heightOf(three, 2)).toBe(0);
    expect(heightOf([], 20)).toBe(0);
    for (const maximum of [7, 6, 3]) {
      expect(linesOf(three, maximum)).toHaveLength(heightOf(three, maximum));
    }
  });

  test("counts the downloads that do not fit", () => {
    expect(linesOf(three, 6)[0]).toBe("Downloads (1 more)");
    expect(linesOf(three, 2)).toEqual([""]);
  });

  test("is zero for finished downloads", () => {
    expect(heightOf([addProgress(download, { status: "success" }, nowMs)], 20)).toBe(0);
  });
});
