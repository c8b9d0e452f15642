// Tests the figures of a download, from the server's records.
import { describe, expect, test } from "vitest";
import {
  addProgress,
  type Download,
  failDownload,
  fractionOf,
  pauseDownload,
  remainingMs,
  resumeDownload,
  speedOf,
  startDownload,
} from "../../source/client/download.ts";

const bytes = (completed: number, at: number) => ({
  record: {
    status: "pulling abc",
    digest: "sha256:abc",
    total: 400,
    completed: Math.min(400, completed),
    overall_total: 1000,
    overall_completed: completed,
  },
  at,
});

function downloadOf(...steps: ReturnType<typeof bytes>[]): Download {
  return steps.reduce(
    (download, { record, at }) => addProgress(download, record, at),
    startDownload("m:latest"),
  );
}

describe("progress", () => {
  test("is unknown until the server reports sizes", () => {
    const download = addProgress(startDownload("m:latest"), { status: "pulling manifest" }, 0);
    expect(fractionOf(download)).toBeUndefined();
    expect(download.status).toBe("pulling manifest");
  });

  test("is that of all files together", () => {
    expect(fractionOf(downloadOf(bytes(500, 0)))).toBe(0.5);
  });

  test("is that of one file when the server reports no total", () => {
    const record = { status: "pulling abc", total: 400, completed: 100 };
    expect(fractionOf(addProgress(startDownload("m:latest"), record, 0))).toBe(0.25);
  });

  test("ends with success", () => {
    const done = addProgress(downloadOf(bytes(1000, 0)), { status: "success" }, 1);
    expect(done).toMatchObject({ state: "done", completedBytes: 1000 });
  });
});

describe("speed and time left", () => {
  test("are measured over the last seconds", () => {
    const download = downloadOf(bytes(0, 0), bytes(100, 1000), bytes(200, 2000));
    expect(speedOf(download, 2000)).toBe(100);
    expect(remainingMs(download, 2000)).toBe(8000);
  });

  test("ignore older records", () => {
    const download = downloadOf(
      bytes(0, 0),
      bytes(900, 1000),
      bytes(910, 15_000),
      bytes(920, 16_000),
    );
    expect(speedOf(download, 16_000)).toBe(10);
  });

  test("drop while nothing arrives", () => {
    const download = downloadOf(bytes(0, 0), bytes(100, 1000));
    expect(speedOf(download, 4000)).toBe(25);
  });

  test("are unknown with a single record", () => {
    expect(speedOf(downloadOf(bytes(100, 0)), 0)).toBeUndefined();
    expect(remainingMs(downloadOf(bytes(100, 0)), 0)).toBeUndefined();
  });

  test("are measured anew after a pause", () => {
    const paused = pauseDownload(downloadOf(bytes(0, 0), bytes(100, 1000)));
    expect(paused).toMatchObject({ state: "paused", completedBytes: 100 });
    const resumed = resumeDownload(paused);
    expect(resumed.state).toBe("running");
    expect(speedOf(resumed, 60_000)).toBeUndefined();
    expect(fractionOf(resumed)).toBe(0.1);
  });
});

test("many records at once take little memory", () => {
  const steps = Array.from({ length: 2000 }, (_, at) => bytes(at, at * 5));
  expect(downloadOf(...steps).samples.length).toBeLessThan(60);
});

test("verification is a separate state", () => {
  const record = { status: "verifying sha256 digest", overall_total: 10, overall_completed: 10 };
  expect(addProgress(startDownload("m:latest"), record, 0).state).toBe("verifying");
});

test("a failure keeps what was downloaded and says why", () => {
  const failed = failDownload(downloadOf(bytes(300, 0)), "The disk is full.");
  expect(failed).toMatchObject({
    state: "failed",
    error: "The disk is full.",
    completedBytes: 300,
  });
  expect(resumeDownload(failed).error).toBeUndefined();
});
