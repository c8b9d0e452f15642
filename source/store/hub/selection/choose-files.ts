// Chooses the files of a repository that make up the wanted model. Follows llama.cpp's rules
// (common/download.cpp), with two differences: a tag must begin at a word boundary, so that F16
// does not match BF16, and an incomplete set of shards is refused.
import { formatBytes } from "../../../base/formats.ts";
import { ProductError } from "../../../base/product-error.ts";
import { escapeForPattern } from "../../../base/quoting.ts";
import { storeErrors } from "../../errors.ts";
import type { Repository, RepositoryFile } from "../repository.ts";
import {
  bitWidthOf,
  companionWord,
  fileName,
  folderNames,
  isGguf,
  modelStem,
  quantizationOf,
  type ShardPosition,
  shardOf,
} from "./quantization.ts";

export interface ChosenFile extends RepositoryFile {
  role: "model" | "projector";
  shard?: ShardPosition;
}

export interface ModelChoice {
  repo: string;
  /** Commit. */
  revision: string;
  /** `Q4_K_M`; the file's name without its ending if it names no quantization. */
  quantization: string;
  /** The shards in order, then the projector when there is one. */
  files: ChosenFile[];
  totalBytes: number;
}

const defaultTags = ["Q4_K_M", "Q8_0"];
const maxListed = 40;

/**
 * @param selector a quantization in any case, or a file's name or path; absent or `latest`:
 *   Q4_K_M, then Q8_0, then the first
 * @throws ProductError `STORE_HUB_NO_MODEL_FILE`, `STORE_HUB_QUANTIZATION_NOT_FOUND`,
 *   `STORE_HUB_NOT_MODEL_FILE`, `STORE_HUB_SHARDS_INCOMPLETE`
 */
export function chooseModel(repository: Repository, selector?: string): ModelChoice {
  const ggufs = repository.files.filter(({ path }) => isGguf(path));
  const candidates = ggufs.filter(({ path }) => companionWord(path) === undefined);
  const chosen = isNamed(selector)
    ? findNamed(repository, ggufs, candidates, selector)
    : (firstOf(defaultTags.map((tag) => findTag(candidates, tag))) ?? candidates[0]);
  if (chosen === undefined) throw noModelFile(repository);
  const models = completeSet(repository, candidates, chosen);
  const projector = nearestProjector(ggufs, chosen.path);
  const files: ChosenFile[] = [
    ...models.map((file) => ({ ...file, role: "model" as const })),
    ...(projector === undefined ? [] : [{ ...projector, role: "projector" as const }]),
  ];
  return {
    repo: repository.repo,
    revision: repository.commit,
    quantization: quantizationOf(chosen.path) ?? fileName(modelStem(chosen.path)),
    files,
    totalBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

function isNamed(selector: string | undefined): selector is string {
  return selector !== undefined && selector !== "" && selector.toLowerCase() !== "latest";
}

function findNamed(
  repository: Repository,
  ggufs: readonly RepositoryFile[],
  candidates: readonly RepositoryFile[],
  selector: string,
): RepositoryFile {
  const named = isGguf(selector)
    ? (findFile(ggufs, selector) ?? findTag(candidates, selector.replace(/\.gguf$/i, "")))
    : findTag(candidates, selector);
  if (named === undefined) {
    if (candidates.length === 0) throw noModelFile(repository);
    throw quantizationNotFound(repository, candidates, selector);
  }
  const word = companionWord(named.path);
  if (word === undefined) return named;
  throw new ProductError(storeErrors.hubNotModelFile, {
    message: `${fileName(named.path)} is not a model but a companion of one (its name contains ${word.replace(/-$/, "")}).`,
    hint:
      candidates.length === 0
        ? "The repository has no model to use it with."
        : `Name the model; its projector is fetched too. Available: ${listQuantizations(candidates)}.`,
  });
}

/** Finds a file by path, then by name in any folder; the exact case wins. */
export function findFile<File extends { path: string }>(
  files: readonly File[],
  name: string,
): File | undefined {
  const lower = name.toLowerCase();
  return firstOf([
    files.find(({ path }) => path === name),
    files.find(({ path }) => path.toLowerCase() === lower),
    files.find(({ path }) => fileName(path) === name),
    files.find(({ path }) => fileName(path).toLowerCase() === lower),
  ]);
}

/**
 * Returns the first file with the tag before a `.`, `-` or `/`, preferably at the start of a word.
 */
function findTag(files: readonly RepositoryFile[], tag: string): RepositoryFile | undefined {
  const literal = escapeForPattern(tag);
  const firstShards = files.filter(({ path }) => (shardOf(path)?.index ?? 1) === 1);
  return firstOf(
    [`(?:^|[^A-Za-z0-9])${literal}[./-]`, `${literal}[./-]`].flatMap((source) => {
      const pattern = new RegExp(source, "i");
      return [firstShards, files].map((some) => some.find(({ path }) => pattern.test(path)));
    }),
  );
}

/** Returns all files of the set that the file belongs to, in order. */
function completeSet(
  repository: Repository,
  candidates: readonly RepositoryFile[],
  chosen: RepositoryFile,
): ChosenFile[] {
  const position = shardOf(chosen.path);
  if (position === undefined) return [{ ...chosen, role: "model" }];
  const { count } = position;
  const stem = modelStem(chosen.path);
  const byIndex = new Map<number, ChosenFile>();
  for (const file of candidates) {
    const shard = shardOf(file.path);
    if (shard?.count !== count || modelStem(file.path) !== stem) continue;
    byIndex.set(shard.index, { ...file, role: "model", shard });
  }
  const whole = Array.from({ length: count }, (_, at) => byIndex.get(at + 1)).filter(
    (file) => file !== undefined,
  );
  if (whole.length === count && byIndex.size === count) return whole;
  const missing = Array.from({ length: count }, (_, at) => at + 1).filter(
    (index) => !byIndex.has(index),
  );
  throw new ProductError(storeErrors.hubShardsIncomplete, {
    message:
      missing.length === 0
        ? `${repository.repo} has parts of ${stem} with numbers above ${count}.`
        : `${repository.repo} lacks ${missing.length} of the ${count} parts of ${stem}: ${listNumbers(missing)}.`,
    hint: "Nothing was downloaded. Choose another quantization, or ask the owner for the missing parts.",
  });
}

/** Finds the projector in the deepest folder above the model, with the nearest bit width. */
function nearestProjector(
  files: readonly RepositoryFile[],
  modelPath: string,
): RepositoryFile | undefined {
  const modelFolders = folderNames(modelPath);
  const modelBits = bitWidthOf(modelPath);
  const near = files.flatMap((file) => {
    if (!fileName(file.path).toLowerCase().includes("mmproj")) return [];
    const folders = folderNames(file.path);
    if (folders.some((name, at) => name !== modelFolders[at])) return [];
    return [{ file, depth: folders.length, distance: Math.abs(bitWidthOf(file.path) - modelBits) }];
  });
  // The sort is stable: of equals, the first in the repository stays first.
  near.sort((a, b) => b.depth - a.depth || a.distance - b.distance);
  return near[0]?.file;
}

function noModelFile(repository: Repository): ProductError {
  return new ProductError(storeErrors.hubNoModelFile, {
    message: `${repository.repo} has no .gguf model.`,
    hint: "Look for a repository of the same model whose name ends in -GGUF.",
  });
}

function quantizationNotFound(
  repository: Repository,
  candidates: readonly RepositoryFile[],
  selector: string,
): ProductError {
  return new ProductError(storeErrors.hubQuantizationNotFound, {
    message: `${repository.repo} has no ${JSON.stringify(selector)}.`,
    hint: `Available: ${listQuantizations(candidates)}.`,
  });
}

/** Lists the choices, with shards as one: `Q4_K_M (4.7 GB), Q8_0 (8.5 GB)`. */
function listQuantizations(candidates: readonly RepositoryFile[]): string {
  const sizes = new Map<string, number>();
  for (const { path, sizeBytes } of candidates) {
    sizes.set(modelStem(path), (sizes.get(modelStem(path)) ?? 0) + sizeBytes);
  }
  const labels = [...sizes].map(
    ([stem, sizeBytes]) => `${quantizationOf(stem) ?? `${stem}.gguf`} (${formatBytes(sizeBytes)})`,
  );
  const more = labels.length - maxListed;
  return labels.slice(0, maxListed).join(", ") + (more > 0 ? `, and ${more} more` : "");
}

function listNumbers(numbers: readonly number[]): string {
  const some = numbers.slice(0, 10).join(", ");
  return numbers.length > 10 ? `${some}, ...` : some;
}

function firstOf<T>(values: ReadonlyArray<T | undefined>): T | undefined {
  return values.find((value) => value !== undefined);
}
