// A file storage that breaks off, stalls, crawls, lies or changes its mind: a pull gets the right
// bytes all the same, or says what is wrong and keeps nothing that is.
import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { HubProgress } from "../../../source/store/hub/hub-progress.ts";
import type { HubFaults } from "../../support/loopback-hub-requests.ts";
import {
  impatient,
  newFolder,
  openHub,
  openHubWith,
  pull,
  quick,
  sentBytes,
  sentences,
} from "./pulling.ts";

const megabytes = 3_000_000;
/** Little more than a client has room for before it reads: what is further behind gets lost in a reset. */
const resetAfterBytes = 70_000;

/** A fault of the file storage alone. */
function inStorage(faults: HubFaults): HubFaults {
  return (request) => (request.server === "storage" ? faults(request) : undefined);
}

function blobsOf(folder: string): string[] {
  return readdirSync(path.join(folder, "blobs"));
}

describe("retried failures", () => {
  test.each<[string, HubFaults, RegExp]>([
    ["resets", ({ earlier }) => (earlier < 4 ? { resetAfterBytes } : undefined), /reset/],
    [
      "ends too early",
      ({ earlier }) => (earlier < 4 ? { truncateAfterBytes: 100_000 } : undefined),
      /closed in the middle/,
    ],
    [
      "resets before anything",
      ({ earlier }) => (earlier < 2 ? { resetAfterBytes: 0 } : undefined),
      /reset/,
    ],
    ["fails", ({ earlier }) => (earlier < 2 ? { status: 502 } : undefined), /status 502/],
    [
      "limits",
      ({ earlier }) => (earlier < 1 ? { status: 429, headers: { "retry-after": "0" } } : undefined),
      /limits/,
    ],
  ])("storage that %s", async (_, faults, detail) => {
    const hub = await openHubWith(megabytes, { faults: inStorage(faults) });
    const { progress } = await pull(hub, newFolder());
    expect(sentences(progress).join()).toMatch(detail);
    const completed = progress.map(({ completedBytes }) => completedBytes);
    expect(completed).toEqual(completed.toSorted((a, b) => a - b));
  });

  test("storage that stalls in the middle", async () => {
    const faults = inStorage(({ earlier }) =>
      earlier < 2 ? { stallAfterBytes: 70_000 } : undefined,
    );
    const hub = await openHubWith(megabytes, { faults });
    const { progress } = await pull(hub, newFolder(), { connection: impatient });
    expect(sentences(progress).join()).toContain("no data for too long");
  });

  test("storage that resets repeatedly but sends something each time", async () => {
    const faults = inStorage(() => ({ resetAfterBytes }));
    const hub = await openHubWith(1_000_000, { faults });
    // Fewer than there are resets. On a busy machine a reset may take away all that a connection brought.
    const retryPolicy = { ...quick.connection.retryPolicy, tries: 8 };
    await pull(hub, newFolder(), {
      connection: { ...quick.connection, retryPolicy },
    });
  });

  test("one slow connection does not delay the others", async () => {
    const faults = inStorage(({ range }) =>
      range?.start === 0 ? { bytesPerSecond: 150_000 } : undefined,
    );
    const hub = await openHubWith(4_000_000, { faults });
    await pull(hub, newFolder());
    const first = hub.requests.find(({ range }) => range?.start === 0);
    expect(first?.sentBytes).toBeLessThan(1_000_000);
  });

  test("an expired storage URL is requested from the hub again", async () => {
    const faults = inStorage(({ earlier }) => (earlier === 1 ? { status: 403 } : undefined));
    const hub = await openHubWith(megabytes, { faults });
    await pull(hub, newFolder());
    expect(hub.requests.filter(({ method }) => method === "HEAD").length).toBeGreaterThan(1);
  });

  test("a redirect within the storage is followed", async () => {
    const hub = await openHubWith(1000);
    hub.setFaults(
      inStorage(({ path: asked }) =>
        asked.startsWith("/again/")
          ? undefined
          : { status: 307, headers: { location: `/again${asked}` } },
      ),
    );
    await hub.setFile("again/owner", "name/a-Q4_K_M.gguf", { generatedBytes: 1000 });
    await pull(hub, newFolder());
  });
});

describe("storage that ignores ranges", () => {
  test("is asked for the whole file, once", async () => {
    const faults = inStorage(() => ({ ignoreRange: true }));
    const hub = await openHubWith(megabytes, { faults });
    const { progress } = await pull(hub, newFolder());
    expect(sentences(progress).join()).toContain("whole files only");
  });

  test("and disconnects still delivers the whole file in the end", async () => {
    const faults = inStorage(({ earlier }) => ({
      ignoreRange: true,
      ...(earlier < 8 && { truncateAfterBytes: 200_000 * (1 + earlier) }),
    }));
    const hub = await openHubWith(megabytes, { faults });
    await pull(hub, newFolder());
  });
});

describe("permanent failures are reported:", () => {
  test("storage that always resets leaves what it sent", async () => {
    const faults = inStorage(({ range }) =>
      range?.start === 0 ? { bytesPerSecond: 5_000_000 } : { resetAfterBytes: 0 },
    );
    const hub = await openHubWith(megabytes, { faults });
    const folder = newFolder();
    await expect(pull(hub, folder)).rejects.toMatchObject({
      code: "STORE_HUB_UNREACHABLE",
      exitCode: 8,
      hint: expect.stringContaining("to resume"),
    });
    expect(blobsOf(folder)).toContainEqual(expect.stringMatching(/-partial$/));
  });

  test("a failure of several connections is reported once per attempt", async () => {
    const hub = await openHubWith(megabytes, { faults: inStorage(() => ({ status: 503 })) });
    const seen: HubProgress[] = [];
    await expect(pull(hub, newFolder(), { seen })).rejects.toThrow("status 503");
    const asked = hub.requests.filter(({ server }) => server === "storage");
    expect(asked.length).toBeGreaterThan(3);
    expect(sentences(seen)).toEqual([
      expect.stringMatching(/try 2 of 3/),
      expect.stringMatching(/try 3 of 3/),
    ]);
  });

  test("storage that refuses is named", async () => {
    const hub = await openHubWith(1000, { faults: inStorage(() => ({ status: 403 })) });
    const folder = newFolder();
    await expect(pull(hub, folder)).rejects.toMatchObject({
      code: "STORE_HUB_FAILING",
      message: expect.stringContaining("status 403"),
    });
    expect(blobsOf(folder)).toEqual([]);
  });

  test("wrong bytes of the right length are deleted", async () => {
    const faults = inStorage(({ range }) => (range?.start === 0 ? { garble: true } : undefined));
    const hub = await openHubWith(megabytes, { faults });
    const folder = newFolder();
    await expect(pull(hub, folder)).rejects.toMatchObject({
      code: "STORE_HUB_HASH_MISMATCH",
      message: expect.stringMatching(/a-Q4_K_M\.gguf.*was deleted/),
    });
    expect(blobsOf(folder)).toEqual([]);
  });

  test.each([
    ["claims another size", { claimedSizeBytes: megabytes + 1 }],
    ["sends another range", { headers: { "content-range": `bytes 5-9/${megabytes}` } }],
    ["sends no range", { headers: { "content-range": "bytes" } }],
    ["sends too much as one", { ignoreRange: true, claimedSizeBytes: megabytes + 5 }],
  ])("storage that %s is not trusted", async (_, fault) => {
    const hub = await openHubWith(megabytes, { faults: inStorage(() => fault) });
    await expect(pull(hub, newFolder())).rejects.toMatchObject({
      code: "STORE_HUB_REPLY_INVALID",
      message: expect.stringContaining("a-Q4_K_M.gguf"),
    });
  });

  test("a wrong size in the hub's listing", async () => {
    const hub = await openHubWith(megabytes, { listedSizes: { "a-Q4_K_M.gguf": 2_000_000 } });
    await expect(pull(hub, newFolder())).rejects.toMatchObject({
      code: "STORE_HUB_REPLY_INVALID",
    });
  });

  test("circular redirects end", async () => {
    const hub = await openHubWith(1000);
    hub.setFaults(({ path: asked, server }) =>
      server === "storage" || asked.includes("/resolve/")
        ? { status: 302, headers: { location: asked } }
        : undefined,
    );
    await expect(pull(hub, newFolder())).rejects.toMatchObject({
      code: "STORE_HUB_REPLY_INVALID",
      message: expect.stringContaining("too many redirects"),
    });
  });

  test.each(["ftp://127.0.0.1/a", "file:///etc/passwd", ""])(
    "a redirect to %j is not followed",
    async (location) => {
      const hub = await openHubWith(1000);
      hub.setFaults(({ path: asked }) =>
        asked.includes("/resolve/") ? { status: 302, headers: { location } } : undefined,
      );
      await expect(pull(hub, newFolder())).rejects.toMatchObject({
        code: "STORE_HUB_REPLY_INVALID",
      });
    },
  );
});

describe("a file without a hash from the hub", () => {
  const inGit = ["a-Q4_0.gguf"];
  const files = { "a-Q4_0.gguf": { generatedBytes: megabytes } };

  test("that changes in the middle is started over, with a note", async () => {
    const hub = await openHub({ repositories: { "owner/name": { files, inGit } } });
    let marks = 0;
    hub.setFaults(({ method, range }) => {
      if (method === "GET" && range !== undefined && range.start > 0) marks += 1;
      return marks === 1 ? { etag: "another" } : undefined;
    });
    const { model, progress } = await pull(hub, newFolder());
    expect(sentences(progress).join()).toContain("changed on the hub: starting over");
    expect(model.files[0]?.digest).toBe(`sha256:${hub.sha256Of("owner/name", "a-Q4_0.gguf")}`);
  });

  test("that changes all the time fails", async () => {
    const hub = await openHub({ repositories: { "owner/name": { files, inGit } } });
    let marks = 0;
    hub.setFaults(({ method, range }) => {
      if (method !== "GET" || range === undefined) return undefined;
      marks += 1;
      return { etag: `mark ${marks}` };
    });
    const folder = newFolder();
    await expect(pull(hub, folder)).rejects.toMatchObject({
      code: "STORE_HUB_REPLY_INVALID",
      message: expect.stringContaining("changed repeatedly"),
    });
    expect(blobsOf(folder)).toEqual([]);
  });
});

test("a failed pull sends no more requests", async () => {
  const faults = inStorage(({ range }) =>
    range?.start === 0 ? { claimedSizeBytes: 7 } : { bytesPerSecond: 100_000 },
  );
  const hub = await openHubWith(megabytes, { faults });
  await expect(pull(hub, newFolder())).rejects.toMatchObject({ code: "STORE_HUB_REPLY_INVALID" });
  expect(sentBytes(hub)).toBeLessThan(megabytes);
});
