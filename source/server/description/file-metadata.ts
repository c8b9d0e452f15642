// Metadata of a model's files: keys and values, and the list of tensors.

import { tensorTypeName } from "../../store/gguf/gguf-facts.ts";
import { type GgufHeader, type GgufValue, readGguf } from "../../store/gguf/read-gguf.ts";
import { parameterCount } from "../../store/library/model-details.ts";
import type { ResolvedModel } from "../../store/library/resolved-model.ts";

export interface TensorEntry {
  name: string;
  /** `F16`, `Q4_K` */
  type: string;
  shape: number[];
}

export interface FileMetadata {
  modelInfo: Record<string, unknown>;
  projectorInfo: Record<string, unknown> | undefined;
  tensors: TensorEntry[];
}

/** Keys shown elsewhere in a description. */
const shownElsewhere: ReadonlySet<string> = new Set(["general.name", "tokenizer.chat_template"]);

/**
 * @param verbose keep every element of long lists
 * @throws ProductError those of `readGguf`
 */
export async function readFileMetadata(
  model: Pick<ResolvedModel, "parts" | "projectors">,
  verbose: boolean,
): Promise<FileMetadata> {
  const read = (file: string) => readGguf(file, () => verbose);
  const parts = await Promise.all(model.parts.map(read));
  const [projector] = await Promise.all(model.projectors.map(read));
  return {
    modelInfo: infoOf(parts),
    projectorInfo: projector && infoOf([projector]),
    tensors: parts.flatMap(({ tensors }) =>
      tensors.map(({ name, type, shape }) => ({ name, type: tensorTypeName(type), shape })),
    ),
  };
}

/** Reads one file, or all parts in order; the first part has the metadata. */
function infoOf(parts: readonly GgufHeader[]): Record<string, unknown> {
  const entries = [...(parts[0]?.metadata ?? [])].filter(([key]) => !shownElsewhere.has(key));
  return {
    // Counted, as Ollama does: few files state it.
    "general.parameter_count": parts.reduce((sum, part) => sum + parameterCount(part), 0),
    ...Object.fromEntries(entries.map(([key, value]) => [key, jsonValue(value)])),
  };
}

/** JSON numbers lose digits beyond 2^53. */
function jsonValue(value: GgufValue): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return shortest(value);
  return typeof value === "object" ? (value.values ?? []).map(jsonValue) : value;
}

/** Prints 0.00001 instead of 0.000009999999747378752, the same 32-bit number. */
function shortest(value: number): number {
  if (Number.isInteger(value) || Math.fround(value) !== value) return value;
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const candidates = digits.map((count) => Number(value.toPrecision(count)));
  return candidates.find((candidate) => Math.fround(candidate) === value) ?? value;
}
