// Lists the choices in a repository: each quantization with its size.
import { ProductError } from "../../../base/product-error.ts";
import type { Repository } from "../repository.ts";
import { chooseModel, type ModelChoice } from "./choose-files.ts";
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

/** In the repository's order; incomplete sets of shards are left out. */
export function listQuantizations(repository: Repository): QuantizationChoice[] {
  const models = repository.files.filter(
    ({ path }) =>
      isGguf(path) && companionWord(path) === undefined && (shardOf(path)?.index ?? 1) === 1,
  );
  const byDefault = tryChoice(repository)?.files[0]?.path;
  return models.flatMap(({ path }) => {
    // Two files may have the same quantization, which then selects only one of them.
    const found = [quantizationOf(path), fileName(path), path].flatMap((selector) => {
      const choice = selector === undefined ? undefined : tryChoice(repository, selector);
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
        isDefault: modelStem(path) === (byDefault && modelStem(byDefault)),
      },
    ];
  });
}

/** Undefined if the selector finds no complete model. */
export function tryChoice(repository: Repository, selector?: string): ModelChoice | undefined {
  try {
    return chooseModel(repository, selector);
  } catch (error) {
    if (error instanceof ProductError) return undefined;
    throw error;
  }
}
