// Copies what one sequence remembers into another, so that a shared beginning is computed once.
//
// node-llama-cpp 3.21.1 has no sequence copy (3.22 has): the state goes through a file in memory
// (/dev/shm where there is one). This file is the one place to change when the copy arrives.
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AddonContext } from "./addon.ts";
import type { Slot } from "./slot.ts";

const folderPrefix = "modelctl-runner-";

export class PrefixCopy {
  readonly #context: AddonContext;
  readonly #windowTokens: number;
  readonly #folder: string;
  #saved: { slot: number; version: number; file: string } | undefined;
  #counter = 0;
  // First guesses, replaced by what is measured: saving and loading, milliseconds per token.
  #copyMsPerToken = 0.1;

  private constructor(context: AddonContext, windowTokens: number, folder: string) {
    this.#context = context;
    this.#windowTokens = windowTokens;
    this.#folder = folder;
  }

  /** Undefined where no folder can be made: then shared beginnings are computed again. */
  static create(
    context: AddonContext,
    windowTokens: number,
    log: (text: string) => void,
  ): PrefixCopy | undefined {
    const parent = memoryFolder();
    try {
      removeLeftovers(parent);
      const folder = mkdtempSync(path.join(parent, `${folderPrefix}${process.pid}-`));
      return new PrefixCopy(context, windowTokens, folder);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`beginnings are not shared between slots: ${reason}`);
      return undefined;
    }
  }

  /**
   * Whether copying beats computing.
   *
   * @param prefix tokens that would be gained
   * @param sourceLength tokens that must be copied to gain them
   * @param computeMsPerToken what computing a prompt token has cost lately
   */
  isWorth(prefix: number, sourceLength: number, computeMsPerToken: number): boolean {
    return prefix * computeMsPerToken > 1 + 1.5 * sourceLength * this.#copyMsPerToken;
  }

  /** Replaces all that `target` remembers by what `source` remembers. */
  async copy<J>(source: Slot<J>, target: Slot<J>): Promise<void> {
    const started = performance.now();
    const file = await this.#save(source);
    this.#context.disposeSequence(target.id);
    target.forget();
    await this.#context.loadSequenceStateFromFile(file, target.id, this.#windowTokens);
    target.tokens = [...source.tokens];
    const perToken = (performance.now() - started) / Math.max(1, source.tokens.length);
    this.#copyMsPerToken = 0.7 * this.#copyMsPerToken + 0.3 * perToken;
  }

  /** One saved state serves all copies of the same version of a slot. */
  async #save<J>(source: Slot<J>): Promise<string> {
    const saved = this.#saved;
    if (saved?.slot === source.id && saved.version === source.version) return saved.file;
    this.forget();
    this.#counter += 1;
    const file = path.join(this.#folder, `${this.#counter}.state`);
    // Noted first, so that a save that fails half-way (a full disk) is removed too.
    this.#saved = { slot: source.id, version: -1, file };
    await this.#context.saveSequenceStateToFile(file, source.id, Uint32Array.from(source.tokens));
    this.#saved = { slot: source.id, version: source.version, file };
    return file;
  }

  /** Frees the saved state: it may be large, and it is memory. */
  forget(): void {
    if (this.#saved === undefined) return;
    rmSync(this.#saved.file, { force: true });
    this.#saved = undefined;
  }

  close(): void {
    this.forget();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function memoryFolder(): string {
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
