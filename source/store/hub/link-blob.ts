// Links a file from another store on this machine: no download, and no second copy.
import { constants } from "node:fs";
import { copyFile, link, lstat, rm } from "node:fs/promises";
import { unfinishedPath } from "../../base/unfinished-files.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { moveIntoPlace, synchronise } from "../library/write-atomically.ts";
import type { FileReport } from "./download/download-file.ts";
import { FileHasher } from "./download/file-hasher.ts";

export interface WantedBlob {
  /** 64 hex digits. */
  sha256: string;
  sizeBytes: number;
  /** Path of the blob in our store. */
  target: string;
  signal: AbortSignal;
  report: (report: FileReport) => void;
}

/**
 * Gives the first file that has the wanted content a second name: as a clone, which shares only
 * disk space, or else as a hard link. The file itself stays as it is; the new name is hashed before
 * it is used.
 *
 * @param files of other stores; they need not exist
 * @returns false if none has the content, or the system refuses: then it must be downloaded
 * @throws ProductError `STORE_HUB_CANCELLED`
 */
export async function linkBlob(files: readonly string[], wanted: WantedBlob): Promise<boolean> {
  for (const file of files) {
    if (!(await mayBe(file, wanted))) continue;
    const unfinished = unfinishedPath(wanted.target);
    try {
      await cloneOrLink(file, unfinished);
      if ((await hashOf(unfinished, file, wanted)) === wanted.sha256) {
        await moveIntoPlace(unfinished, wanted.target);
        return true;
      }
      say(wanted, `${file} is damaged: downloading it instead.`);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined || wanted.signal.aborted) throw error;
      say(wanted, `${file} cannot be shared (${code}): downloading it instead.`);
    } finally {
      await rm(unfinished, { force: true });
    }
  }
  return false;
}

/** Returns true if one of the files probably has the content, so that a download needs no space. */
export async function canLinkAny(
  files: readonly string[],
  wanted: Pick<WantedBlob, "sizeBytes">,
): Promise<boolean> {
  for (const file of files) if (await mayBe(file, wanted)) return true;
  return false;
}

/** Excludes symbolic links: they lead to users' files, which may change at any time. */
async function mayBe(file: string, { sizeBytes }: Pick<WantedBlob, "sizeBytes">): Promise<boolean> {
  return await lstat(file).then(
    (facts) => facts.isFile() && facts.size === sizeBytes,
    () => false,
  );
}

async function cloneOrLink(file: string, unfinished: string): Promise<void> {
  try {
    await copyFile(file, unfinished, constants.COPYFILE_FICLONE_FORCE);
  } catch {
    await rm(unfinished, { force: true });
    return await link(file, unfinished);
  }
  await synchronise(unfinished);
}

async function hashOf(unfinished: string, file: string, wanted: WantedBlob): Promise<string> {
  const hasher = new FileHasher(unfinished);
  try {
    const { sizeBytes, signal, report } = wanted;
    const detail = `${file} is the same file: verifying it.`;
    report({ state: "verifying", completedBytes: 0, detail });
    return await hasher.digest(sizeBytes, signal, (verifiedBytes) =>
      report({ state: "verifying", completedBytes: 0, verifiedBytes }),
    );
  } finally {
    await hasher.close();
  }
}

function say({ report }: WantedBlob, detail: string): void {
  report({ state: "downloading", completedBytes: 0, detail });
}
