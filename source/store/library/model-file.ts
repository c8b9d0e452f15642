// A GGUF file of a model, with the kind that its metadata states.
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { checkTensorData } from "../gguf/gguf-facts.ts";
import { type GgufHeader, type GgufValue, readGguf } from "../gguf/read-gguf.ts";
import { type FileState, stateOf } from "./file-state.ts";

export type ModelFileKind = "model" | "projector" | "adapter";

export interface ModelFile {
  /** Absolute. */
  path: string;
  kind: ModelFileKind;
  header: GgufHeader;
  /** Index of this part in a split model, counted from 0. */
  part: { index: number; count: number } | undefined;
  /** State before it was read. */
  state: FileState;
}

/**
 * @param file absolute
 * @throws ProductError those of `readGguf`; `STORE_DEFINITION_INVALID` for a GGUF of another kind
 */
export async function readModelFile(file: string): Promise<ModelFile> {
  // `readGguf` explains a missing file.
  const state = await stateOf(file).catch(() => undefined);
  const header = await readGguf(file);
  checkTensorData(file, header);
  return {
    path: file,
    kind: kindOf(file, header),
    header,
    part: partOf(header),
    state: state ?? (await stateOf(file)),
  };
}

/** A whole number among a GGUF's metadata. */
export function numberOf(header: GgufHeader, key: string): number | undefined {
  const value = header.metadata.get(key);
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

export function textOf(header: GgufHeader, key: string): string | undefined {
  const value: GgufValue | undefined = header.metadata.get(key);
  return typeof value === "string" ? value : undefined;
}

// general.type: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Older projectors are known
// by their architecture. Ollama's have only vision blocks.
function kindOf(file: string, header: GgufHeader): ModelFileKind {
  const type = textOf(header, "general.type") ?? "model";
  const architecture = textOf(header, "general.architecture") ?? "";
  const hasOnlyVision =
    numberOf(header, `${architecture}.vision.block_count`) !== undefined &&
    numberOf(header, `${architecture}.block_count`) === undefined;
  if (type === "projector" || type === "mmproj" || architecture === "clip" || hasOnlyVision) {
    return "projector";
  }
  if (type === "adapter") return "adapter";
  if (type === "model") return "model";
  throw new ProductError(storeErrors.definitionInvalid, {
    message: `${file} is a GGUF file of the type ${JSON.stringify(type)}, which cannot be part of a model.`,
    hint: "Name a model, a projector or an adapter.",
  });
}

/** The names of the parts have five digits. */
const maxParts = 99_999;

/** Written by llama-gguf-split. */
export function partOf(header: GgufHeader): ModelFile["part"] {
  const count = numberOf(header, "split.count");
  const index = numberOf(header, "split.no");
  if (count === undefined || index === undefined) return undefined;
  return count >= 2 && count <= maxParts ? { index, count } : undefined;
}
