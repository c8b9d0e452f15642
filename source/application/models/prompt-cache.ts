// Prompts stored on disk, of a model or of all models.
import path from "node:path";
import type { ProductPaths } from "../../configuration/paths.ts";
import type { PromptFile } from "../../engine/text/prompt-file.ts";
import { weightsPrefix } from "../../engine/text/prompt-file-names.ts";
import { PromptFolder } from "../../engine/text/prompt-folder.ts";
import type { ModelCatalog } from "../../store/model-catalog.ts";

export type StoredPrompt = Pick<
  PromptFile,
  "path" | "model" | "bytes" | "tokens" | "createdAt" | "lastUsedAt"
>;

/** Identity of a model's files. */
interface OwnerMarks {
  name: string;
  /** Undefined for a missing model. */
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
   * Lists stored prompts, most recently used first.
   *
   * @param reference undefined: of all models
   * @param warn receives a line for each unreadable file; damaged ones are removed
   * @throws ProductError `STORE_NAME_INVALID`; `STORE_MODEL_NOT_FOUND` if neither model nor prompts exist
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
   * Removes stored prompts, and returns them.
   *
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
   * Returns the identity of a model's files, for use after its removal.
   *
   * @throws ProductError `STORE_NAME_INVALID`
   */
  async marksOf(reference: string): Promise<OwnerMarks> {
    const parsed = this.#catalog.parse(reference);
    const name = parsed.kind === "file" ? parsed.path : parsed.name.display;
    try {
      const { parts, name: listed } = await this.#catalog.resolve(reference);
      return { name: listed, prefix: await weightsPrefix(parts) };
    } catch {
      // A damaged or missing model is identified by its name.
      return { name, prefix: undefined };
    }
  }

  /** Removes the prompts of a model, and of others on the same weights. */
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
