// `modelctl download`: a file of a repository as a plain file in a folder.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  downloadPlainFile,
  type PlainDownload,
  type SavedFile,
} from "../../../source/store/hub/download-plain-file.ts";
import type { HubProgress } from "../../../source/store/hub/hub-progress.ts";
import { ModelStore } from "../../../source/store/library/model-store.ts";
import type { LoopbackHub } from "../../support/loopback-hub.ts";
import { hashOf, newFolder, openHub, quick, sentBytes, settingsFor } from "./pulling.ts";

const size = 3_000_000;
const files = {
  "README.md": Buffer.from("# A model"),
  "a-Q4_K_M.gguf": { generatedBytes: size },
  "a-Q8_0.gguf": { generatedBytes: 1000 },
  "sub/b-F16-00001-of-00002.gguf": { generatedBytes: 2000, seed: "1" },
  "sub/b-F16-00002-of-00002.gguf": { generatedBytes: 2000, seed: "2" },
  "mmproj-F16.gguf": { generatedBytes: 500 },
};

async function openPlainHub(): Promise<LoopbackHub> {
  return await openHub({ repositories: { "owner/name": { files, inGit: ["README.md"] } } });
}

async function download(
  hub: LoopbackHub,
  localFolder: string,
  name: string,
  options: Partial<PlainDownload> = {},
): Promise<SavedFile[]> {
  return await downloadPlainFile({
    repo: "owner/name",
    path: name,
    localFolder,
    locks: new ModelStore(newFolder()),
    settings: await settingsFor(hub),
    ...quick,
    ...options,
  });
}

describe("a plain file", () => {
  test.each([
    ["a quantization with .gguf", "q4_k_m.gguf", ["a-Q4_K_M.gguf"]],
    ["a file's name", "a-Q8_0.gguf", ["a-Q8_0.gguf"]],
    ["a path", "sub/b-F16-00002-of-00002.gguf", ["b-F16-00002-of-00002.gguf"]],
    [
      "a quantization of several files",
      "F16.gguf",
      ["b-F16-00001-of-00002.gguf", "b-F16-00002-of-00002.gguf"],
    ],
    ["a projector", "mmproj-F16.gguf", ["mmproj-F16.gguf"]],
    ["any other file", "README.md", ["README.md"]],
  ])("named by %s (%s)", async (_, name, names) => {
    const folder = path.join(newFolder(), "new");
    const saved = await download(await openPlainHub(), folder, name);
    expect(readdirSync(folder).sort()).toEqual(names);
    for (const { localPath, sha256, wasThere, sizeBytes } of saved) {
      expect(hashOf(localPath)).toBe(`sha256:${sha256}`);
      expect(statSync(localPath).size).toBe(sizeBytes);
      expect(wasThere).toBe(false);
    }
  });

  test.each([
    ["Q5_K_M.gguf", "STORE_HUB_QUANTIZATION_NOT_FOUND"],
    ["nothing.txt", "STORE_HUB_FILE_NOT_FOUND"],
  ])("that does not exist (%s) leaves nothing", async (name, code) => {
    const folder = newFolder();
    await expect(download(await openPlainHub(), folder, name)).rejects.toMatchObject({ code });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that is already complete is verified and not downloaded again", async () => {
    const hub = await openPlainHub();
    const folder = newFolder();
    await download(hub, folder, "Q4_K_M.gguf");
    const before = sentBytes(hub);
    const progress: HubProgress[] = [];
    const [saved] = await download(hub, folder, "Q4_K_M.gguf", {
      onProgress: (report) => progress.push(report),
    });
    expect(saved).toMatchObject({ wasThere: true, sizeBytes: size });
    expect(sentBytes(hub)).toBe(before);
    expect(progress.map(({ state }) => state)).toContain("verifying");
  });

  test.each([
    ["of the same size", "x".repeat(1000)],
    ["of another size", "my own notes"],
  ])("does not replace another one %s, unless asked to", async (_, content) => {
    const hub = await openPlainHub();
    const folder = newFolder();
    const file = path.join(folder, "a-Q8_0.gguf");
    writeFileSync(file, content);
    await expect(download(hub, folder, "Q8_0.gguf")).rejects.toMatchObject({
      code: "STORE_HUB_FILE_EXISTS",
      exitCode: 5,
    });
    expect(readFileSync(file, "utf8")).toBe(content);
    await download(hub, folder, "Q8_0.gguf", { replace: true });
    expect(hashOf(file)).toBe(`sha256:${hub.sha256Of("owner/name", "a-Q8_0.gguf")}`);
  });

  test("gets its name only when it is complete, and resumes", async () => {
    const hub = await openPlainHub();
    const folder = newFolder();
    const file = path.join(folder, "a-Q4_K_M.gguf");
    hub.setFaults(({ server }) =>
      server === "storage" ? { bytesPerSecond: 1_000_000 } : undefined,
    );
    const stop = new AbortController();
    const broken = download(hub, folder, "Q4_K_M.gguf", {
      signal: stop.signal,
      onProgress: ({ completedBytes }) => {
        if (completedBytes > size / 3) stop.abort();
      },
    });
    await expect(broken).rejects.toMatchObject({ code: "STORE_HUB_CANCELLED" });
    expect(existsSync(file)).toBe(false);
    hub.setFaults(undefined);
    const before = sentBytes(hub);
    await download(hub, folder, "Q4_K_M.gguf");
    expect(sentBytes(hub) - before).toBeLessThan((size * 2) / 3);
    expect(readdirSync(folder)).toEqual(["a-Q4_K_M.gguf"]);
    expect(hashOf(file)).toBe(`sha256:${hub.sha256Of("owner/name", "a-Q4_K_M.gguf")}`);
  });

  test("requested twice at once is downloaded once", async () => {
    const hub = await openPlainHub();
    const folder = newFolder();
    const locks = new ModelStore(newFolder());
    const both = await Promise.all(
      [1, 2].map(() => download(hub, folder, "Q4_K_M.gguf", { locks })),
    );
    expect(
      both
        .flat()
        .map(({ wasThere }) => wasThere)
        .sort(),
    ).toEqual([false, true]);
    expect(sentBytes(hub)).toBe(size);
  });

  test.runIf(process.platform === "linux")(
    "cannot be saved where the system refuses a folder",
    async () => {
      await expect(download(await openPlainHub(), "/proc/none", "Q8_0.gguf")).rejects.toMatchObject(
        {
          code: "STORE_HUB_WRITE_FAILED",
          message: "/proc/none/a-Q8_0.gguf-partial cannot be written (ENOENT).",
        },
      );
    },
  );

  test("cannot be saved in a file", async () => {
    const file = path.join(newFolder(), "file");
    writeFileSync(file, "");
    await expect(download(await openPlainHub(), file, "Q8_0.gguf")).rejects.toMatchObject({
      code: "STORE_HUB_WRITE_FAILED",
      message: expect.stringMatching(/its folder is a file/),
    });
    expect(statSync(file).size).toBe(0);
  });
});
