// Links a file from another store on this machine: no download, and no second copy.
import { constants } from "node:fs";
import { copyFile, link, lstat, open, rm } from "node:fs/promises";
import { unfinishedPath } from "../../base/unfinished-files.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { moveIntoPlace } from "../library/write-atomically.ts";
import type { FileReport } from "./download/download-file.ts";
import { FileHasher } from "./download/file-hasher.ts";

export interface WantedBlob {
  /** 64 hex digits. */
  sha256: string;
  sizeBytes: number;
  /** Where it belongs. */
  target: string;
  signal: AbortSignal;
  report: (report: FileReport) => void;
}

/**
 * Gives the first of the files that has the wanted content a second name: as a clone where the file
 * system can, which shares the disk's space and nothing else, otherwise as a hard link. The file itself
 * stays as it is. What is in place has been hashed under its new name.
 *
 * @param files of other stores; they need not be there
 * @returns false where none has the content, or the system refuses: then it has to be downloaded
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

/** True when one of the files will probably do, so that a download needs no space. */
export async function canLinkAny(
  files: readonly string[],
  wanted: Pick<WantedBlob, "sizeBytes">,
): Promise<boolean> {
  for (const file of files) if (await mayBe(file, wanted)) return true;
  return false;
}

/** A link leads to a file of the user's, who may change it at any time. */
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
  const handle = await open(unfinished, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
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
