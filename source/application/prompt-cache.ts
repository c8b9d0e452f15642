// Prompts stored on disk, as a user sees them: those of one model, or of all.
import path from "node:path";
import type { ProductPaths } from "../configuration/paths.ts";
import type { PromptFile } from "../engine/text/prompt-file.ts";
import { weightsPrefix } from "../engine/text/prompt-file-names.ts";
import { PromptFolder } from "../engine/text/prompt-folder.ts";
import type { ModelCatalog } from "../store/model-catalog.ts";

export type StoredPrompt = Pick<
  PromptFile,
  "path" | "model" | "bytes" | "tokens" | "createdAt" | "lastUsedAt"
>;

/** Identity of a model's files. */
interface OwnerMarks {
  name: string;
  /** Undefined for a model that no longer exists. */
  prefix: string | undefined;
}

export function promptCacheFolder({ cache }: Pick<ProductPaths, "cache">): string {
  return path.join(cache, "prompts");
}

export class PromptCache {
  readonly #folder: PromptFolder;
  readonly #catalog: ModelCatalog;

  constructor(folders: Pick<ProductPaths, "cache">, catalog: ModelCatalog) {
    this.#folder = new PromptFolder(promptCacheFolder(folders));
    this.#catalog = catalog;
  }

  /**
   * The most recently used first.
   *
   * @param reference undefined: those of all models
   * @param warn takes a line for each file that cannot be read; broken ones are removed
   * @throws ProductError `STORE_NAME_INVALID`; `STORE_MODEL_NOT_FOUND` where nothing bears this name
   */
  async list(reference: string | undefined, warn: (text: string) => void): Promise<StoredPrompt[]> {
    const files = (await this.#folder.read("", new Map(), warn)).reverse();
    if (reference === undefined) return files;
    const marks = await this.marksOf(reference);
    const own = files.filter((file) => isOf(file, marks));
    if (own.length === 0 && marks.prefix === undefined) throw this.#catalog.notFound(reference);
    return own;
  }

  /**
   * @returns what was removed
   * @throws ProductError as `list`
   */
  async clear(
    reference: string | undefined,
    warn: (text: string) => void,
  ): Promise<StoredPrompt[]> {
    const files = await this.list(reference, warn);
    for (const file of files) await this.#folder.remove(file.path);
    return files;
  }

  /**
   * Gets the identity of a model's files, before it is removed.
   * @throws ProductError `STORE_NAME_INVALID`
   */
  async marksOf(reference: string): Promise<OwnerMarks> {
    const parsed = this.#catalog.parse(reference);
    const name = parsed.kind === "file" ? parsed.path : parsed.name.display;
    try {
      const { parts, name: listed } = await this.#catalog.resolve(reference);
      return { name: listed, prefix: await weightsPrefix(parts) };
    } catch {
      // A damaged or removed model is known only by its name.
      return { name, prefix: undefined };
    }
  }

  /** Removes all files of a model, those of others on the same weights too: a cache can be made again. */
  async forget(marks: OwnerMarks): Promise<void> {
    for (const file of await this.#folder.read("", new Map(), () => {})) {
      if (isOf(file, marks)) await this.#folder.remove(file.path);
    }
  }
}

function isOf(file: StoredPrompt, { name, prefix }: OwnerMarks): boolean {
  if (prefix !== undefined && path.basename(file.path).startsWith(prefix)) return true;
  return file.model.toLowerCase() === name.toLowerCase();
}
