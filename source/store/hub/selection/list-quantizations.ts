// The choices in a repository: each quantization with its size in bytes.
import { ProductError } from "../../../base/product-error.ts";
import type { Repository } from "../repository.ts";
import { chooseModel } from "./choose-files.ts";
import {
  companionWord,
  fileName,
  isGguf,
  modelStem,
  quantizationOf,
  shardOf,
} from "./quantization.ts";

export interface QuantizationChoice {
  /** The tag for the repository's name: `Q4_K_M`, or a file's name. */
  selector: string;
  /** The model's files and the projector that goes with them. */
  totalBytes: number;
  fileCount: number;
  hasProjector: boolean;
  /** The default choice. */
  isDefault: boolean;
}

/** In the repository's order; sets of shards that are not whole are left out. */
export function listQuantizations(repository: Repository): QuantizationChoice[] {
  const models = repository.files.filter(
    ({ path }) =>
      isGguf(path) && companionWord(path) === undefined && (shardOf(path)?.index ?? 1) === 1,
  );
  const usual = attempt(repository, undefined)?.files[0]?.path;
  return models.flatMap(({ path }) => {
    // Two files may have the same quantization; only one of them answers to its name.
    const found = [quantizationOf(path), fileName(path), path].flatMap((selector) => {
      const choice = selector === undefined ? undefined : attempt(repository, selector);
      return selector !== undefined && choice?.files[0]?.path === path
        ? [{ selector, choice }]
        : [];
    })[0];
    if (found === undefined) return [];
    const { selector, choice } = found;
    return [
      {
        selector,
        totalBytes: choice.totalBytes,
        fileCount: choice.files.length,
        hasProjector: choice.files.some(({ role }) => role === "projector"),
        isDefault: modelStem(path) === (usual && modelStem(usual)),
      },
    ];
  });
}

/** Undefined where the selector leads to nothing that is whole. */
function attempt(repository: Repository, selector: string | undefined) {
  try {
    return chooseModel(repository, selector);
  } catch (error) {
    if (error instanceof ProductError) return undefined;
    throw error;
  }
}
