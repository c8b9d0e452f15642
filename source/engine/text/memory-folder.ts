// In-memory folder (/dev/shm if it exists) for the states of sequences, which llama.cpp's addon reads
// and writes as files.
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

  /** Returns undefined when no folder can be created: prefixes are then computed again. */
  static create(log: (text: string) => void): MemoryFolder | undefined {
    const parent = memoryParent();
    try {
      removeLeftovers(parent);
      return new MemoryFolder(mkdtempSync(path.join(parent, `${folderPrefix}${process.pid}-`)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`prompt prefixes are not shared between slots: ${reason}`);
      return undefined;
    }
  }

  /** Free space in bytes. */
  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.#path);
    return bavail * bsize;
  }

  /** Returns an unused path. */
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
    return tmpdir(); // no in-memory folder on this system
  }
}

/** Removes the folders of runners that were killed before they could. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const processId = Number(new RegExp(`^${folderPrefix}(\\d+)-`).exec(name)?.[1]);
    if (!Number.isInteger(processId) || isAlive(processId)) continue;
    // Folders of other users stay.
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
    // EPERM: it is alive and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
