// Copies of one sequence's state into another, so that a shared prefix is computed once.
//
// node-llama-cpp 3.21.1 has no sequence copy (3.22 has): the state goes through a file in memory.
// Only this file has to change for the native copy.
import type { AddonContext } from "./addon.ts";
import type { MemoryFolder } from "./memory-folder.ts";
import type { Slot } from "./slot.ts";

export class PrefixCopy {
  readonly #context: AddonContext;
  readonly #windowTokens: number;
  readonly #folder: MemoryFolder;
  #saved: { slot: number; version: number; file: string } | undefined;
  // Initial guess for saving and loading, replaced by measurements; milliseconds per token.
  #copyMsPerToken = 0.1;

  constructor(context: AddonContext, windowTokens: number, folder: MemoryFolder) {
    this.#context = context;
    this.#windowTokens = windowTokens;
    this.#folder = folder;
  }

  /**
   * Returns true if copying beats computing.
   *
   * @param prefix tokens to gain
   * @param sourceLength tokens that must be copied to gain them
   * @param computeMsPerToken recent cost of computing a prompt token
   */
  isWorth(prefix: number, sourceLength: number, computeMsPerToken: number): boolean {
    return prefix * computeMsPerToken > 1 + 1.5 * sourceLength * this.#copyMsPerToken;
  }

  /** Replaces the state of `target` by that of `source`. */
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

  /** Saves the slot's state once for all copies of the same version. */
  async #save<J>(source: Slot<J>): Promise<string> {
    const saved = this.#saved;
    if (saved?.slot === source.id && saved.version === source.version) return saved.file;
    this.forget();
    const file = this.#folder.newFile();
    // Noted first, so that a partly written file (full disk) is removed too.
    this.#saved = { slot: source.id, version: -1, file };
    await this.#context.saveSequenceStateToFile(file, source.id, Uint32Array.from(source.tokens));
    this.#saved = { slot: source.id, version: source.version, file };
    return file;
  }

  /** Frees the saved state, which may take much memory. */
  forget(): void {
    if (this.#saved === undefined) return;
    this.#folder.remove(this.#saved.file);
    this.#saved = undefined;
  }
}
