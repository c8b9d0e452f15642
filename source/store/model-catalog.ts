// Finds the model that a reference means, and lists all models: built-in ones, those of our store,
// Ollama's and LM Studio's, and files.

import { existsSync, realpathSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { shownModel } from "../base/display-text.ts";
import { ProductError } from "../base/product-error.ts";
import { type BuiltInModel, builtInModels, findBuiltInModel } from "./built-in-models.ts";
import { storeErrors } from "./errors.ts";
import { digestOfFile } from "./library/digest.ts";
import { GgufCache } from "./library/gguf-cache.ts";
import type { ParentModel } from "./library/model-base.ts";
import { ModelFolder, type StoredManifest, type StoreKind } from "./library/model-folder.ts";
import { listFolder, type ModelListing, type ModelSummary } from "./library/model-list.ts";
import type { ModelStore } from "./library/model-store.ts";
import { resolveFile } from "./library/resolve-file.ts";
import { type RecordedModel, readRecorded, resolveStored } from "./library/resolve-stored.ts";
import { noSettings, type ResolvedModel } from "./library/resolved-model.ts";
import {
  type FolderModel,
  LmStudioFolder,
  listLmStudio,
  resolveLmStudio,
} from "./lm-studio/lm-studio-folder.ts";
import {
  hubNameOf,
  type ModelName,
  type ModelReference,
  parseModelReference,
} from "./model-reference.ts";
import { refuseLaterVersion } from "./modelfile/version-text.ts";

export type { ResolvedModel } from "./library/resolved-model.ts";

/** A built-in model, without reading its file. */
export interface ListedModel {
  name: string;
  file: string;
  card: string | undefined;
  examples: readonly string[];
}

export interface CatalogOptions {
  builtIn?: readonly BuiltInModel[];
  /** Our own store; without one, only built-in models and files are found. */
  store?: ModelStore | undefined;
  /** Ollama's model folders, which need not exist: read, never written. */
  ollamaFolders?: readonly string[];
  /** Returns LM Studio's model folder, if there is one: read, never written. */
  lmStudioFolder?: () => string | undefined;
  /** See `ReferenceOptions`. */
  hubPrefixes?: readonly string[] | undefined;
}

export interface ListOptions {
  /** Lists only one store; by default each name once, as `resolve` finds it. */
  store?: StoreKind | "built-in" | undefined;
  /** False skips details that would have to be read from the models' files. */
  withDetails?: boolean;
}

/** The model that a name refers to. */
export type FoundModel =
  | { kind: "built-in"; model: BuiltInModel }
  | { kind: "stored"; stored: StoredManifest }
  | { kind: "files"; model: FolderModel };

export class ModelCatalog {
  readonly store: ModelStore | undefined;
  readonly #builtIn: readonly BuiltInModel[];
  readonly #others: readonly ModelFolder[];
  readonly #lmStudioFolder: () => string | undefined;
  readonly #hubPrefixes: readonly string[] | undefined;
  readonly #cache = new GgufCache();
  /** Digests of the built-in models' files, which never change. */
  readonly #digests = new Map<string, Promise<string>>();

  constructor(options: CatalogOptions = {}) {
    const { builtIn = builtInModels, store, ollamaFolders = [], hubPrefixes } = options;
    this.#lmStudioFolder = options.lmStudioFolder ?? (() => undefined);
    this.store = store;
    this.#builtIn = builtIn;
    this.#hubPrefixes = hubPrefixes;
    this.#others = ollamaFolders.map((folder) => new ModelFolder(folder, "ollama", hubPrefixes));
  }

  /** Ollama may be installed while our server runs, so its folders are checked every time. */
  get #folders(): ModelFolder[] {
    if (this.store === undefined) return [];
    return [this.store.folder, ...this.#others.filter((folder) => existsSync(folder.path))];
  }

  get #lmStudio(): LmStudioFolder | undefined {
    const folder = this.#lmStudioFolder();
    return folder === undefined ? undefined : new LmStudioFolder(folder, this.#hubPrefixes);
  }

  /** Ignores an unreadable folder, which `listModels` reports. */
  #findLmStudio(name: ModelName): FolderModel | undefined {
    try {
      return this.#lmStudio?.find(name);
    } catch {
      return undefined;
    }
  }

  /** The built-in models. */
  list(): ListedModel[] {
    return this.#builtIn.map(({ name, file, card, examples }) => ({
      name: `${name}:latest`,
      file,
      card,
      examples,
    }));
  }

  /** Every model that has a name. */
  async listModels({ store, withDetails = true }: ListOptions = {}): Promise<ModelListing> {
    const isAsked = (kind: typeof store) => store === undefined || store === kind;
    const folders = this.#folders.filter(({ kind }) => isAsked(kind));
    const listings = await Promise.all(folders.map(listFolder));
    const lmStudio = isAsked("lm-studio") ? this.#lmStudio : undefined;
    if (lmStudio !== undefined) {
      listings.push(await listLmStudio(lmStudio, withDetails ? this.#cache : undefined));
    }
    const builtIn = isAsked("built-in") ? await this.#builtInList() : [];
    const shown = new Map<string, ModelSummary>();
    // The first of several models with the same name wins.
    for (const model of [...builtIn, ...listings.flatMap(({ models }) => models)]) {
      const key = model.name.toLowerCase();
      if (!shown.has(key)) shown.set(key, model);
    }
    const models = [...shown.values()].sort(
      (a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime() || (a.name < b.name ? -1 : 1),
    );
    return { models, problems: listings.flatMap(({ problems }) => problems) };
  }

  /** @throws ProductError `STORE_NAME_INVALID`, `STORE_CLOUD_MODEL` */
  parse(reference: string, baseFolder?: string): ModelReference {
    return parseModelReference(reference, { baseFolder, hubPrefixes: this.#hubPrefixes });
  }

  /**
   * @param isAllowed returns true if the caller may name this file
   * @throws ProductError `STORE_NAME_INVALID`, `STORE_MODEL_NOT_FOUND`, `STORE_FILE_NOT_ALLOWED`,
   *   and errors of the model's files
   */
  async resolve(
    reference: string,
    isAllowed: (file: string) => boolean = () => true,
  ): Promise<ResolvedModel> {
    const parsed = this.parse(reference);
    if (parsed.kind === "file") {
      if (!isAllowed(parsed.path)) {
        // The text is the same if the file does not exist, so that it reveals nothing about the
        // disk.
        throw new ProductError(storeErrors.fileNotAllowed, {
          message: `Access to the file ${reference} is not allowed over the network.`,
          hint: "Add its folder to model_folders (MODELCTL_MODEL_FOLDERS) on the server.",
          param: "model",
        });
      }
      return await resolveFile(parsed.path, this.#cache);
    }
    const found = await this.find(parsed.name);
    if (found === undefined) throw this.notFound(reference);
    if (found.kind === "built-in") return await this.#resolveBuiltIn(found.model);
    if (found.kind === "files") return await resolveLmStudio(found.model, this.#cache);
    if (this.store === undefined) throw this.notFound(reference);
    return await resolveStored(found.stored, this.store, this.#cache);
  }

  /**
   * Resolves a model that is to be run.
   *
   * @throws ProductError `STORE_VERSION_REQUIRED`, and those of `resolve`
   */
  async resolveToRun(
    reference: string,
    isAllowed?: (file: string) => boolean,
  ): Promise<ResolvedModel> {
    const model = await this.resolve(reference, isAllowed);
    refuseLaterVersion(reference, model.requires);
    if (!model.facts.hasWeights) throw vocabularyAlone(model.facts.path);
    return model;
  }

  /**
   * The source and texts of a stored model, even if one of its files was moved; undefined for
   * others.
   * @throws ProductError `STORE_MANIFEST_CORRUPT`, `STORE_BLOB_MISSING`
   */
  async recorded(reference: string): Promise<RecordedModel | undefined> {
    const parsed = this.parse(reference);
    const found = parsed.kind === "name" ? await this.find(parsed.name) : undefined;
    return found?.kind === "stored" ? await readRecorded(found.stored) : undefined;
  }

  /**
   * Finds the first model of that name, in any letter case.
   *
   * @throws ProductError `STORE_MANIFEST_CORRUPT`
   */
  async find(name: ModelName): Promise<FoundModel | undefined> {
    const model = findBuiltInModel(name, this.#builtIn);
    if (model !== undefined) return { kind: "built-in", model };
    for (const folder of this.#folders) {
      const found = folder.find(name);
      // Ignores an unreadable Ollama folder, which `listModels` reports.
      const file = await (folder.kind === "ollama" ? found.catch(() => undefined) : found);
      if (file !== undefined) return { kind: "stored", stored: await folder.read(file) };
    }
    const lmStudios = this.#findLmStudio(name);
    return lmStudios && { kind: "files", model: lmStudios };
  }

  /**
   * Finds the base of a new model: `createModel`'s `resolveName`.
   * @throws ProductError `STORE_MODEL_NOT_FOUND`, `STORE_MANIFEST_CORRUPT`
   */
  async parentOf(reference: string): Promise<ParentModel> {
    const parsed = this.parse(reference);
    const found = parsed.kind === "name" ? await this.find(parsed.name) : undefined;
    if (found === undefined) throw this.notFound(reference);
    if (found.kind === "stored") return found;
    if (found.kind === "files") {
      return { kind: "files", files: [...found.model.parts, ...found.model.projectors] };
    }
    return { kind: "built-in", file: found.model.file, parameters: found.model.parameters };
  }

  notFound(reference: string): ProductError {
    return new ProductError(storeErrors.modelNotFound, {
      message: `model '${reference}' not found`,
      hint: `${this.#hintFor(this.parse(reference))}; see modelctl list, or name a .gguf file by its path.`,
      param: "model",
    });
  }

  /** Suggests how to get the named model. */
  #hintFor(parsed: ModelReference): string {
    const name = parsed.kind === "name" ? parsed.name : undefined;
    if (name?.isHub) return `Pull it with: modelctl pull ${shownModel(name.display)}`;
    const hubName = name && hubNameOf(name, this.#hubPrefixes);
    if (hubName !== undefined) return `Its name on the hub would be ${hubName}`;
    const names = this.list().map((model) => shownModel(model.name));
    return `Built in: ${names.join(", ")}`;
  }

  async #resolveBuiltIn(model: BuiltInModel): Promise<ResolvedModel> {
    const { name, file, parameters, card, examples } = model;
    const { facts, details } = await this.#cache.read([file]);
    const { mtime } = await stat(file);
    return {
      ...noSettings(),
      name: `${name}:latest`,
      facts,
      parts: [file],
      parameters,
      card,
      examples,
      origin: "built-in",
      store: undefined,
      digest: await this.#digestOf(file),
      sizeBytes: facts.fileSize,
      modifiedAt: mtime,
      details,
    };
  }

  async #builtInList(): Promise<ModelSummary[]> {
    const resolved = await Promise.all(this.#builtIn.map((model) => this.#resolveBuiltIn(model)));
    return resolved.map(
      ({ name, store, sizeBytes, modifiedAt, details, card, examples, digest }) => ({
        name,
        origin: "built-in",
        store,
        digest: digest ?? "",
        sizeBytes,
        modifiedAt,
        details,
        card,
        examples,
        refersTo: [],
        blobs: [],
      }),
    );
  }

  async #digestOf(file: string): Promise<string> {
    const known = this.#digests.get(file) ?? digestOfFile(file);
    this.#digests.set(file, known);
    return (await known).replace("sha256:", "");
  }
}

/**
 * Returns true if a file is in one of the folders after following links. All paths are absolute.
 */
export function isInFolders(file: string, folders: readonly string[]): boolean {
  const target = realPath(file);
  return folders.some((folder) => {
    const relative = path.relative(realPath(folder), target);
    return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
  });
}

function vocabularyAlone(file: string): ProductError {
  return new ProductError(storeErrors.ggufInvalid, {
    message: `${file} has a vocabulary but no weights, so it cannot be run.`,
    hint: "Name the model's own file.",
  });
}

/** Returns a dangling path as it is: reading it reports the error. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
