// LM Studio's models, read in place and never written: PUBLISHER/MODEL/FILE.gguf below one folder
// (https://lmstudio.ai/docs/basics/import-model). The hub names files the same way, so its rules
// decide which files of a folder make up a model.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { Turns } from "../../base/turns.ts";
import type { Repository } from "../hub/repository.ts";
import type { ModelChoice } from "../hub/selection/choose-files.ts";
import { listQuantizations, tryChoice } from "../hub/selection/list-quantizations.ts";
import { isGguf } from "../hub/selection/quantization.ts";
import { isMissing } from "../library/disk-errors.ts";
import type { GgufCache } from "../library/gguf-cache.ts";
import { detailsOf } from "../library/model-details.ts";
import type { ListProblem, ModelListing, ModelSummary } from "../library/model-list.ts";
import { noSettings, type ResolvedModel } from "../library/resolved-model.ts";
import {
  defaultHost,
  defaultHubPrefixes,
  defaultTag,
  hubHosts,
  isSameName,
  type ModelName,
  parseModelReference,
} from "../model-reference.ts";

/** A model in the folder. */
export interface FolderModel {
  name: ModelName;
  /** Absolute: the file of the weights, or all parts in order. */
  parts: string[];
  /** Absolute. */
  projectors: string[];
  /** Size of all files. */
  sizeBytes: number;
  /** Time of the newest file. */
  modifiedAt: Date;
  /** SHA-256 of which files there are, with their sizes and times; 64 hex digits. */
  digest: string;
}

/** A folder seen as a repository: file paths are relative to the folder, which is absolute. */
interface Place extends Repository {
  folder: string;
}

/** The first meaning of a hub name without a tag. */
const hubDefault = "Q4_K_M";

export class LmStudioFolder {
  readonly path: string;
  readonly #hubPrefixes: readonly string[];

  constructor(folder: string, hubPrefixes: readonly string[] = defaultHubPrefixes) {
    this.path = folder;
    this.#hubPrefixes = hubPrefixes;
  }

  /** Leaves out models with missing parts, such as unfinished downloads. */
  async models(): Promise<{ models: FolderModel[]; problems: ListProblem[] }> {
    const models: FolderModel[] = [];
    const problems: ListProblem[] = [];
    const turns = new Turns();
    for (const publisher of orProblem(this.path, namesIn, problems)) {
      const folder = path.join(this.path, publisher);
      for (const model of orProblem(folder, namesIn, problems)) {
        await turns.next();
        const read = () => this.#modelsOf(this.#placeOf(publisher, model), problems);
        models.push(...orProblem(path.join(folder, model), read, problems));
      }
    }
    return { models, problems };
  }

  /**
   * Finds the model of that name in any letter case, with or without the hub's host; without a tag,
   * the one that would be pulled from such a repository.
   *
   * @throws the system's error when the folder cannot be read
   */
  find(name: ModelName): FolderModel | undefined {
    if (!name.isHub && name.host !== defaultHost) return undefined;
    // The hub's default choice cannot be known from the files here.
    const isOpen = name.isHub && name.tag.toLowerCase() === defaultTag;
    const selector = isOpen ? hubDefault : name.tag;
    const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
    for (const publisher of namesIn(this.path)) {
      if (!isSame(publisher, name.namespace)) continue;
      for (const model of namesIn(path.join(this.path, publisher))) {
        if (!isSame(model, name.model)) continue;
        const place = this.#placeOf(publisher, model);
        const models = this.#modelsOf(place, []);
        const chosen = filesOf(place, tryChoice(place, selector)).parts[0];
        const found =
          models.find((one) => isSameName(one.name, name)) ??
          models.find(({ parts }) => parts[0] === chosen);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #placeOf(publisher: string, model: string): Place {
    const folder = path.join(this.path, publisher, model);
    const files = filesBelow(folder).flatMap((name) => {
      // A link may lead to nothing.
      const facts = statSync(path.join(folder, name), { throwIfNoEntry: false });
      if (!facts?.isFile()) return [];
      return [{ path: name.split(path.sep).join("/"), sizeBytes: facts.size }];
    });
    return { repo: `${publisher}/${model}`, commit: "", files, folder };
  }

  /** @param problems receives the models that have no name */
  #modelsOf(place: Place, problems: ListProblem[]): FolderModel[] {
    return listQuantizations(place).flatMap(({ selector }) => {
      const choice = tryChoice(place, selector);
      if (choice === undefined) return [];
      const { parts, projectors } = filesOf(place, choice);
      const name = this.#nameOf(place, selector, choice);
      if (name === undefined) {
        problems.push(nameless(parts[0] ?? place.folder));
        return [];
      }
      const facts = [...parts, ...projectors].map((file) => ({ file, facts: statSync(file) }));
      return [
        {
          name,
          parts,
          projectors,
          sizeBytes: choice.totalBytes,
          modifiedAt: new Date(Math.max(...facts.map((one) => one.facts.mtimeMs))),
          digest: digestOf(facts),
        },
      ];
    });
  }

  /** Returns `publisher/model:Q4_K_M`, or a hub name if ours would be invalid. */
  #nameOf(place: Place, selector: string, choice: ModelChoice): ModelName | undefined {
    const [hub = ""] = hubHosts(this.#hubPrefixes);
    const stem = selector.replace(/\.gguf$/i, "");
    const isFound = tryChoice(place, stem)?.files[0]?.path === choice.files[0]?.path;
    const candidates = [
      ...(isFound ? [`${place.repo}:${stem}`] : []),
      ...(hub === "" ? [] : [`${hub}/${place.repo}:${selector}`]),
    ];
    for (const text of candidates) {
      const name = nameOrNone(text, this.#hubPrefixes);
      if (name !== undefined) return name;
    }
    return undefined;
  }
}

function nameless(file: string): ListProblem {
  return { path: file, message: `${file} has no valid model name: run it by its path.` };
}

function orProblem<T>(place: string, read: (place: string) => T[], problems: ListProblem[]): T[] {
  try {
    return read(place);
  } catch (error) {
    problems.push({ path: place, message: error instanceof Error ? error.message : String(error) });
    return [];
  }
}

function nameOrNone(text: string, hubPrefixes: readonly string[]): ModelName | undefined {
  try {
    const reference = parseModelReference(text, { hubPrefixes });
    return reference.kind === "name" ? reference.name : undefined;
  } catch (error) {
    if (error instanceof ProductError) return undefined;
    throw error;
  }
}

function filesOf({ folder }: Place, choice: ModelChoice | undefined) {
  const parts: string[] = [];
  const projectors: string[] = [];
  for (const { role, path: name } of choice?.files ?? []) {
    (role === "model" ? parts : projectors).push(path.join(folder, name));
  }
  return { parts, projectors };
}

function digestOf(files: ReadonlyArray<{ file: string; facts: Stats }>): string {
  const states = files.map(({ file, facts }) => [file, facts.size, facts.mtimeMs]);
  return createHash("sha256").update(JSON.stringify(states)).digest("hex");
}

/** Returns the sorted names in a folder; none if it is not a folder. */
function namesIn(folder: string): string[] {
  return unlessMissing(() => readdirSync(folder))
    .filter((name) => !name.startsWith("."))
    .sort();
}

/**
 * Returns the sorted GGUF files in the folder and below; ignores links to folders, which may be
 * circular.
 */
function filesBelow(folder: string, within = ""): string[] {
  const names = namesIn(path.join(folder, within)).map((name) => path.join(within, name));
  return names.flatMap((name) => {
    const facts = lstatSync(path.join(folder, name));
    if (facts.isDirectory()) return filesBelow(folder, name);
    return isGguf(name) ? [name] : [];
  });
}

function unlessMissing(read: () => string[]): string[] {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const place = { origin: "stored", store: "lm-studio" } as const;

/**
 * Lists the folder's models, in no order; an unreadable one does not hide the others.
 *
 * @param cache for reading the files; without it, their details stay unknown
 */
export async function listLmStudio(
  folder: LmStudioFolder,
  cache: GgufCache | undefined,
): Promise<ModelListing> {
  const { models, problems } = await folder.models();
  const summaries: ModelSummary[] = [];
  for (const { name, parts, sizeBytes, modifiedAt, digest } of models) {
    try {
      const details = cache === undefined ? detailsOf([]) : (await cache.read(parts)).details;
      const shown = { name: name.display, ...place, digest, sizeBytes, modifiedAt, details };
      summaries.push({ ...shown, card: undefined, examples: [], refersTo: [], blobs: [] });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push({ path: parts[0] ?? folder.path, message });
    }
  }
  return { models: summaries, problems };
}

/** @throws ProductError those of `readGgufFacts` */
export async function resolveLmStudio(
  { name, parts, projectors, sizeBytes, modifiedAt, digest }: FolderModel,
  cache: GgufCache,
): Promise<ResolvedModel> {
  const { facts, details } = await cache.read(parts);
  return {
    ...noSettings(),
    ...place,
    name: name.display,
    facts,
    parts,
    parameters: {},
    digest,
    sizeBytes,
    modifiedAt,
    details,
    projectors,
  };
}
