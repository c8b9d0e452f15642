// Finds the model that a reference means.
import { stat } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../base/product-error.ts";
import { type BuiltInModel, builtInModels } from "./built-in-models.ts";
import { storeErrors } from "./errors.ts";
import { type GgufFacts, readGgufFacts } from "./gguf/gguf-facts.ts";
import type { ModelParameters } from "./model-parameters.ts";
import { parseModelReference } from "./model-reference.ts";

/** A model that can be loaded. */
export interface ResolvedModel {
  /** How it is listed; for a file its absolute path. */
  name: string;
  facts: GgufFacts;
  /** Its own defaults; a request overrides them. */
  parameters: ModelParameters;
  card: string | undefined;
  examples: readonly string[];
}

/** A listed model, without reading its file. */
export interface ListedModel {
  name: string;
  file: string;
  card: string | undefined;
  examples: readonly string[];
}

const mostKeptFacts = 64;

export class ModelCatalog {
  readonly #builtIn: readonly BuiltInModel[];
  /** Facts of files that have been read, until the file changes. */
  readonly #facts = new Map<string, { size: number; mtimeMs: number; facts: GgufFacts }>();

  constructor(builtIn: readonly BuiltInModel[] = builtInModels) {
    this.#builtIn = builtIn;
  }

  list(): ListedModel[] {
    return this.#builtIn.map(({ name, file, card, examples }) => ({
      name: `${name}:latest`,
      file,
      card,
      examples,
    }));
  }

  /**
   * @param isAllowed whether the caller may name this file
   * @throws ProductError `STORE_NAME_INVALID`, `STORE_MODEL_NOT_FOUND`, `STORE_FILE_NOT_ALLOWED`,
   *   and those of `readGguf`
   */
  async resolve(
    reference: string,
    isAllowed: (file: string) => boolean = () => true,
  ): Promise<ResolvedModel> {
    const parsed = parseModelReference(reference);
    if (parsed.kind === "file") {
      if (!isAllowed(parsed.path)) {
        // Says the same whether or not the file exists: a stranger learns nothing about the disk.
        throw new ProductError(storeErrors.fileNotAllowed, {
          message: `The file ${reference} may not be named over the network.`,
          hint: "Put its folder into model_folders (MODELCTL_MODEL_FOLDERS) on the server.",
          param: "model",
        });
      }
      const facts = await this.#factsOf(parsed.path);
      return { name: parsed.path, facts, parameters: {}, card: undefined, examples: [] };
    }
    const found = this.#builtIn.find(
      ({ name }) => `${name}:latest`.toLowerCase() === parsed.name.display.toLowerCase(),
    );
    if (found === undefined) throw this.#notFound(reference);
    const facts = await this.#factsOf(found.file);
    const { parameters, card, examples } = found;
    return { name: parsed.name.display, facts, parameters, card, examples };
  }

  /** A large vocabulary takes a tenth of a second to read: too long for every request. */
  async #factsOf(file: string): Promise<GgufFacts> {
    const { size, mtimeMs } = await stat(file).catch(() => ({ size: -1, mtimeMs: -1 }));
    const known = this.#facts.get(file);
    if (known !== undefined && known.size === size && known.mtimeMs === mtimeMs) {
      return known.facts;
    }
    const facts = await readGgufFacts(file);
    if (this.#facts.size >= mostKeptFacts) this.#facts.clear();
    this.#facts.set(file, { size, mtimeMs, facts });
    return facts;
  }

  #notFound(reference: string): ProductError {
    const names = this.list().map(({ name }) => name.replace(/:latest$/, ""));
    return new ProductError(storeErrors.modelNotFound, {
      message: `model '${reference}' not found`,
      hint: `Known models: ${names.join(", ")}; or name a .gguf file by its path.`,
      param: "model",
    });
  }
}

/** Whether a file lies in one of the folders; both sides absolute. */
export function isInFolders(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const relative = path.relative(folder, file);
    return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
  });
}
