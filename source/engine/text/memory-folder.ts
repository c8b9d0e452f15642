// A folder in memory (/dev/shm where there is one) for the states of sequences: llama.cpp's addon takes
// and gives them as files.
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const folderPrefix = "modelctl-runner-";

export class MemoryFolder {
  readonly #path: string;
  #counter = 0;

  private constructor(folder: string) {
    this.#path = folder;
  }

  /** Undefined where no folder can be made: then beginnings are computed again. */
  static create(log: (text: string) => void): MemoryFolder | undefined {
    const parent = memoryParent();
    try {
      removeLeftovers(parent);
      return new MemoryFolder(mkdtempSync(path.join(parent, `${folderPrefix}${process.pid}-`)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`beginnings are not shared between slots: ${reason}`);
      return undefined;
    }
  }

  /** Room that is left, in bytes. */
  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.#path);
    return bavail * bsize;
  }

  /** A path that no file has. */
  newFile(): string {
    this.#counter += 1;
    return path.join(this.#path, `${this.#counter}.state`);
  }

  remove(file: string): void {
    rmSync(file, { force: true });
  }

  close(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}

function memoryParent(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir(); // no memory-backed folder on this system
  }
}

/** Removes the folders of runners that were killed before they could do so themselves. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const processId = Number(new RegExp(`^${folderPrefix}(\\d+)-`).exec(name)?.[1]);
    if (!Number.isInteger(processId) || isAlive(processId)) continue;
    // Another user's is that user's to remove.
    const facts = statSync(path.join(folder, name), { throwIfNoEntry: false });
    if (facts?.uid !== process.getuid?.()) continue;
    rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
