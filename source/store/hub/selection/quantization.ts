// Reads the precision of the weights from a file's name, and tells models from companion files.

export interface ShardPosition {
  /** From 1. */
  index: number;
  count: number;
}

const shardPattern = /^(.+)-(\d{5})-of-(\d{5})$/i;

// Q4_K_M, IQ2_XXS, TQ1_0, Q4_0_8_8, MXFP4_MOE, NVFP4, F16, BF16; unsloth's prefix UD- belongs to
// it.
const quantizationPattern =
  /(?<=^|[-._/])(?:UD-)?(?:I?Q\d\w*|TQ\d\w*|MXFP\d\w*|NVFP\d\w*|(?:BF|FP?)(?:16|32|64))(?=$|[-./])/gi;

/** Path without `.gguf` and shard numbers, the same for all files of a model. */
export function modelStem(path: string): string {
  const stem = path.replace(/\.gguf$/i, "");
  return shardPattern.exec(stem)?.[1] ?? stem;
}

export function shardOf(path: string): ShardPosition | undefined {
  const match = shardPattern.exec(path.replace(/\.gguf$/i, ""));
  return match === null ? undefined : { index: Number(match[2]), count: Number(match[3]) };
}

/** `Q4_K_M` for `tiny-q4_k_m-00001-of-00002.gguf`; undefined if the name has none. */
export function quantizationOf(path: string): string | undefined {
  return modelStem(path).match(quantizationPattern)?.at(-1)?.toUpperCase();
}

/** 4 for Q4_K_M, 16 for BF16; 0 if the name has none. */
export function bitWidthOf(path: string): number {
  return Number(/\d+/.exec(quantizationOf(path)?.replace(/^UD-/, "") ?? "")?.[0] ?? 0);
}

/**
 * Words in the names of files that accompany a model: projector, importance matrix, draft models.
 * llama.cpp's list.
 */
const companions = ["mmproj", "imatrix", "mtp-", "eagle3-", "dflash-", "dspark-"];

export function isGguf(path: string): boolean {
  return /\.gguf$/i.test(path);
}

/** The word in the file's name that makes it a companion of a model, not a model. */
export function companionWord(path: string): string | undefined {
  const name = fileName(path).toLowerCase();
  return companions.find((word) => name.includes(word));
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folderNames(path: string): string[] {
  return path.split("/").slice(0, -1);
}
