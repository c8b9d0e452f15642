// Files that another store on this machine has are shared with it: not fetched, not copied, not changed.
import { execFileSync } from "node:child_process";
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ModelStore } from "../../../source/store/library/model-store.ts";
import { hashOf, newFolder, openHub, pull, sentBytes, sentences } from "./pulling.ts";

const content = Buffer.alloc(300_000, "weights ");
const longAgo = new Date("2020-02-02");

/** A hub with one model, our store, and another's folder, where the model's file would be `elsewhere`. */
async function beside(otherParent?: string, parent?: string) {
  const files = { "a-Q4_K_M.gguf": content };
  const hub = await openHub({ repositories: { "owner/name": { files } } });
  const [folder, other] = [newFolder(parent), newFolder(otherParent)];
  mkdirSync(path.join(other, "blobs"));
  const digits = hub.sha256Of("owner/name", "a-Q4_K_M.gguf");
  const elsewhere = path.join(other, "blobs", `sha256-${digits}`);
  return { hub, folder, elsewhere, digits, store: new ModelStore(folder, undefined, [other]) };
}

function writeOld(file: string, bytes: Buffer): void {
  writeFileSync(file, bytes);
  utimesSync(file, longAgo, longAgo);
}

function canClone(folder: string): boolean {
  const [from, to] = [path.join(folder, "from"), path.join(folder, "to")];
  writeFileSync(from, "x");
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
}

describe("a file that another store has", () => {
  test("is verified and shared, and nothing is fetched", async () => {
    const { hub, folder, elsewhere, store } = await beside();
    writeOld(elsewhere, content);
    const { model, progress } = await pull(hub, folder, { blobs: store });
    const blob = model.files[0]?.blobPath ?? "";
    expect(sentBytes(hub)).toBe(0);
    expect(hashOf(blob)).toBe(model.files[0]?.digest);
    expect(path.dirname(blob)).toBe(store.folder.blobsFolder);
    if (!canClone(folder)) expect(statSync(blob).ino).toBe(statSync(elsewhere).ino);
    const details = progress.map(({ detail }) => detail);
    expect(details).toContain(`${elsewhere} is the same file: verifying it.`);
    expect(progress.map(({ file }) => file?.verifiedBytes)).toContain(content.length);
    expect(progress.at(-1)).toMatchObject({ state: "done", completedBytes: content.length });
  });

  test("stays unchanged, whatever happens to ours", async () => {
    const { hub, folder, elsewhere, digits, store } = await beside();
    writeOld(elsewhere, content);
    await pull(hub, folder, { blobs: store });
    await pull(hub, folder, { blobs: store });
    await store.writeBlob(content);
    await store.whileWriting(() => store.removeUnused([`sha256:${digits}`]));
    expect(statSync(elsewhere).mtime).toEqual(longAgo);
    await store.removeUnused([`sha256:${digits}`]);
    expect(existsSync(store.blobPath(`sha256:${digits}`))).toBe(false);
    expect(readFileSync(elsewhere).equals(content)).toBe(true);
  });

  test("is fetched if it is damaged, with a note", async () => {
    const { hub, folder, elsewhere, store } = await beside();
    const damaged = Buffer.from(content).fill("?", 1000, 1001);
    writeOld(elsewhere, damaged);
    const { progress } = await pull(hub, folder, { blobs: store });
    expect(sentBytes(hub)).toBe(content.length);
    expect(sentences(progress)).toContain(`${elsewhere} is damaged: downloading it instead.`);
    expect(readFileSync(elsewhere).equals(damaged)).toBe(true);
  });

  test("is fetched if it is a link to the user's file, which may change", async () => {
    const { hub, folder, elsewhere, store } = await beside();
    const users = path.join(newFolder(), "mine.gguf");
    writeOld(users, content);
    symlinkSync(users, elsewhere);
    await pull(hub, folder, { blobs: store });
    expect(sentBytes(hub)).toBe(content.length);
  });

  const isRoot = process.platform === "linux" && process.getuid?.() === 0;
  test.runIf(isRoot)("needs no space on a disk that is nearly full", async () => {
    const disk = newFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=480k", "tmpfs", disk]);
    onTestFinished(() => void execFileSync("umount", [disk]));
    const { hub, folder, elsewhere, store } = await beside(disk, disk);
    writeOld(elsewhere, content);
    await pull(hub, folder, { blobs: store });
    expect(sentBytes(hub)).toBe(0);
  });

  const memoryDisk = "/dev/shm";
  const isOther = existsSync(memoryDisk) && statSync(memoryDisk).dev !== statSync(tmpdir()).dev;
  test.runIf(isOther)("is fetched if it is on another disk, with a note", async () => {
    const { hub, folder, elsewhere, store } = await beside(memoryDisk);
    writeOld(elsewhere, content);
    const { progress } = await pull(hub, folder, { blobs: store });
    expect(sentBytes(hub)).toBe(content.length);
    const sentence = `${elsewhere} cannot be shared (EXDEV): downloading it instead.`;
    expect(sentences(progress)).toContain(sentence);
  });
});
