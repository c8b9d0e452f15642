// Prompt prefixes on disk, which survive unloading the model and restarting the server.
import { existsSync, rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { systemCode, writeRefusal } from "../../base/write-refusal.ts";
import type { PromptLimits } from "../runner/load-settings.ts";
import type { AddonContext } from "./addon.ts";
import {
  BrokenPromptFile,
  checkPromptState,
  completePromptFile,
  type PromptFile,
  readPromptFile,
} from "./prompt-file.ts";
import type { PromptFolder } from "./prompt-folder.ts";
import { type Slot, sharedPrefixLength } from "./slot.ts";

/** Candidate for writing: a slot, or a state that is already in memory. */
export interface StorablePrompt {
  /** Private copy that never changes. */
  tokens: readonly number[];
  isCuttable: boolean;
  source: { file: string } | { slotId: number };
}

export interface StoredMatch {
  file: PromptFile;
  /** Counts the prompt's tokens that need not be computed. */
  length: number;
}

export interface StoredPromptOptions {
  context: Pick<
    AddonContext,
    "saveSequenceStateToFile" | "loadSequenceStateFromFile" | "disposeSequence"
  >;
  folder: PromptFolder;
  /** Beginning of the names of files that fit this model, window and engine. */
  prefix: string;
  limits: PromptLimits;
  /** Tokens of one slot's window. */
  windowTokens: number;
  model: { name: string; path: string };
  /** Idle time before a file is written, in milliseconds. */
  idleMs?: number;
  /** Called with a line that people should see. */
  warn: (text: string) => void;
}

/** A file must save computing this many tokens that no other file saves. */
const smallestGain = 1024;
/** Minimum growth, so that a long conversation is not rewritten at every turn. */
const smallestGrowth = 0.25;
/** Loading may take at most this share of the computing time. */
const largestLoadShare = 0.25;
/** Most of the budget that one file may take. */
const largestShare = 0.5;
const usualIdleMs = 2000;

export class StoredPrompts {
  readonly #options: StoredPromptOptions;
  readonly #warned = new Set<string>();
  #files: PromptFile[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: { abort: AbortController; done: Promise<void> } | undefined;
  /** Set while the context saves a slot: nothing else may use it. */
  #saving: Promise<unknown> | undefined;
  #unfinished: string | undefined;
  /** Lowest value seen, since short states of recurrent models take more. */
  #bytesPerToken: number | undefined;
  // Initial guess, replaced by measurements.
  #loadMsPerByte = 2e-6;

  private constructor(options: StoredPromptOptions) {
    this.#options = options;
  }

  /** Reads the files of earlier runs. */
  static async open(options: StoredPromptOptions): Promise<StoredPrompts> {
    const prompts = new StoredPrompts(options);
    try {
      await options.folder.tidy(options.limits);
      await prompts.#refresh();
    } catch (error) {
      prompts.#warn(`prompts cannot be stored on disk: ${reasonOf(error, options.folder.path)}`);
    }
    return prompts;
  }

  /** Finds the stored file with the longest prefix of a prompt. */
  find(promptTokens: readonly number[]): StoredMatch | undefined {
    return this.#longest(promptTokens, promptTokens.length - 1);
  }

  /** Length of the longest common prefix with any file, usable or not. */
  longestShared(promptTokens: readonly number[]): number {
    return Math.max(
      0,
      ...this.#files.map(({ tokens }) => sharedPrefixLength(tokens, promptTokens)),
    );
  }

  /**
   * @param gain tokens that need not be computed
   * @param computeMsPerToken recent cost of computing one; 0 if unknown
   */
  isWorthLoading({ file }: StoredMatch, gain: number, computeMsPerToken: number): boolean {
    const computeMs = gain * (computeMsPerToken || file.readMsPerToken);
    return computeMs > 1 + 1.5 * file.bytes * this.#loadMsPerByte;
  }

  /**
   * Loads a stored state into a slot.
   *
   * @returns false if the file is unusable: it is forgotten, and the slot must be cleared
   */
  async load<J>({ file }: StoredMatch, slot: Slot<J>): Promise<boolean> {
    const { context, folder, windowTokens } = this.#options;
    const started = performance.now();
    context.disposeSequence(slot.id);
    slot.forget();
    try {
      // Another server may have rewritten it.
      const present = await readPromptFile(file.path);
      const shared = sharedPrefixLength(present.tokens, file.tokens);
      if (shared !== file.tokens.length || shared !== present.tokens.length) {
        throw new BrokenPromptFile("has a wrong name");
      }
      await checkPromptState(present);
      await context
        .loadSequenceStateFromFile(file.path, slot.id, windowTokens)
        .catch(() => Promise.reject(new BrokenPromptFile("was refused by llama.cpp")));
    } catch (error) {
      this.#files = this.#files.filter((other) => other !== file);
      // ENOENT: removed by another server or by hand.
      if (systemCode(error) !== "ENOENT") this.#warn(await folder.discard(file.path, error));
      return false;
    }
    slot.tokens = [...file.tokens];
    const perByte = (performance.now() - started) / file.bytes;
    this.#loadMsPerByte = 0.7 * this.#loadMsPerByte + 0.3 * perByte;
    return true;
  }

  /** Writes candidates to the disk after some idle time. */
  onIdle(prompts: () => StorablePrompt[], computeMsPerToken: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#write(prompts(), computeMsPerToken);
    }, this.#options.idleMs ?? usualIdleMs);
    this.#timer.unref();
  }

  /** Cancels writing; resolves when the context is free. */
  async resume(): Promise<void> {
    clearTimeout(this.#timer);
    this.#writing?.abort.abort();
    await this.#saving;
  }

  /** Writes before the model is unloaded, within a time limit. */
  async finish(
    prompts: StorablePrompt[],
    computeMsPerToken: number,
    limitMs: number,
  ): Promise<void> {
    const timeIsUp = AbortSignal.timeout(limitMs);
    const late = new Promise<void>((resolve) => {
      timeIsUp.addEventListener("abort", () => resolve(), { once: true });
    });
    const work = async () => {
      await this.resume();
      await this.#writing?.done;
      await this.#write(prompts, computeMsPerToken);
    };
    await Promise.race([work(), late]);
    this.#writing?.abort.abort();
    if (this.#unfinished !== undefined) rmSync(this.#unfinished, { force: true });
  }

  async #write(prompts: readonly StorablePrompt[], computeMsPerToken: number): Promise<void> {
    if (this.#writing !== undefined || computeMsPerToken === 0) return;
    const abort = new AbortController();
    const done = this.#writeAll(prompts, computeMsPerToken, abort.signal);
    this.#writing = { abort, done };
    await done;
    this.#writing = undefined;
  }

  async #writeAll(
    prompts: readonly StorablePrompt[],
    computeMsPerToken: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { folder, limits, model } = this.#options;
    try {
      // Other servers write and remove files too.
      await this.#refresh();
      const maxBytes = largestShare * (await folder.budget(limits));
      for (const prompt of prompts) {
        // A removed model leaves nothing behind.
        if (signal.aborted || !existsSync(model.path)) return;
        if (!this.#isWorthWriting(prompt, computeMsPerToken, maxBytes)) continue;
        await this.#writeOne(prompt, computeMsPerToken, maxBytes, signal);
        await folder.tidy(limits);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#warn(`prompts cannot be stored on disk: ${reasonOf(error, folder.path)}`);
    }
  }

  /** Skips a state that turns out to be too large, or faster to compute than to load. */
  async #writeOne(
    { tokens, isCuttable, source }: StorablePrompt,
    readMsPerToken: number,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { folder, prefix, model } = this.#options;
    const { unfinished, handle } = await folder.create();
    this.#unfinished = unfinished;
    try {
      const bytes =
        "file" in source
          ? (await stat(source.file)).size
          : await this.#saveSlot(source.slotId, unfinished, signal);
      // llama.cpp does not notice when the disk is full at its last bytes.
      const isWhole = "file" in source || (await handle.stat()).size === bytes;
      if (!isWhole) throw new Error("the disk is full");
      this.#bytesPerToken = Math.min(this.#bytesPerToken ?? bytes, bytes / tokens.length);
      if (bytes > maxBytes || !this.#pays(tokens.length, readMsPerToken)) return;
      const copied = "file" in source ? source.file : undefined;
      const description = { model: model.name, isCuttable, readMsPerToken, createdAt: Date.now() };
      await completePromptFile(handle, copied, { tokens, ...description }, signal);
      signal.throwIfAborted();
      await folder.publish(unfinished, prefix, tokens);
    } finally {
      await handle.close();
      rmSync(unfinished, { force: true });
      this.#unfinished = undefined;
    }
    this.#dropCovered({ tokens, isCuttable });
    await this.#refresh();
  }

  /** @returns bytes */
  async #saveSlot(slotId: number, file: string, signal: AbortSignal): Promise<number> {
    // No await between this check and the call: a request may have started to use the context.
    signal.throwIfAborted();
    const saved = this.#options.context.saveSequenceStateToFile(file, slotId, new Uint32Array(0));
    this.#saving = saved.catch(() => {}); // `resume` only waits for the end
    try {
      return await saved;
    } catch (cause) {
      // llama.cpp gives no reason.
      throw new Error("llama.cpp could not write the file; the disk may be full", { cause });
    }
  }

  #isWorthWriting(
    { tokens }: StorablePrompt,
    computeMsPerToken: number,
    maxBytes: number,
  ): boolean {
    // Image numbers mean nothing to another run.
    if (tokens.length < smallestGain || tokens.some((token) => token < 0)) return false;
    const known = this.#longest(tokens, tokens.length)?.length ?? 0;
    const gain = tokens.length - known;
    if (gain < Math.max(smallestGain, smallestGrowth * tokens.length)) return false;
    if (tokens.length * (this.#bytesPerToken ?? 0) > maxBytes) return false;
    return this.#pays(tokens.length, computeMsPerToken);
  }

  #pays(tokens: number, computeMsPerToken: number): boolean {
    const loadMs = tokens * (this.#bytesPerToken ?? 0) * this.#loadMsPerByte;
    return loadMs < largestLoadShare * tokens * computeMsPerToken;
  }

  #longest(tokens: readonly number[], most: number): StoredMatch | undefined {
    let best: StoredMatch | undefined;
    for (const file of this.#files) {
      const shared = Math.min(most, sharedPrefixLength(file.tokens, tokens));
      if (!file.isCuttable && shared < file.tokens.length) continue;
      if (shared > (best?.length ?? 0)) best = { file, length: shared };
    }
    return best;
  }

  /** Removes shorter files that the longer one replaces. */
  #dropCovered({ tokens, isCuttable }: Omit<StorablePrompt, "source">): void {
    if (!isCuttable) return;
    for (const { path, tokens: other } of this.#files) {
      if (other.length < tokens.length && sharedPrefixLength(other, tokens) === other.length) {
        rmSync(path, { force: true });
      }
    }
  }

  /** Reads the list of files again. */
  async #refresh(): Promise<void> {
    const { folder, prefix } = this.#options;
    const known = new Map(this.#files.map((file) => [file.path, file]));
    this.#files = await folder.read(prefix, known, (text) => this.#warn(text));
  }

  /** Reports the same problem only once. */
  #warn(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#options.warn(text);
  }
}

function reasonOf(error: unknown, folder: string): string {
  const refusal = writeRefusal(folder, systemCode(error));
  if (refusal !== undefined) return `${refusal} (${folder})`;
  return error instanceof Error ? error.message : String(error);
}
