// The details of a model in a list; kept in the store's small configuration blob, so that listing a
// thousand models reads no GGUF.

import { formatCount } from "../../base/formats.ts";
import { isRecord } from "../../base/json.ts";
import type { GgufHeader } from "../gguf/read-gguf.ts";
import { numberOf, textOf } from "./model-file.ts";

export interface ModelDetails {
  format: string;
  /** The GGUF's architecture. */
  family: string;
  families: string[];
  /** `1.2B` */
  parameterSize: string;
  /** `Q4_K_M` */
  quantizationLevel: string;
  contextLength: number | undefined;
  embeddingLength: number | undefined;
}

/** The configuration blob; unknown fields are kept as they are. */
export type ModelConfiguration = Record<string, unknown>;

/** @param headers of the model, or of every part of a split one in their order */
export function detailsOf(headers: readonly GgufHeader[]): ModelDetails {
  const [first] = headers;
  const family = (first && textOf(first, "general.architecture")) ?? "unknown";
  const number = (key: string) => first && numberOf(first, key);
  return {
    format: "gguf",
    family,
    families: [family],
    parameterSize: formatCount(headers.reduce((sum, header) => sum + parameterCount(header), 0)),
    quantizationLevel: quantizationName(number("general.file_type")),
    contextLength: number(`${family}.context_length`),
    embeddingLength: number(`${family}.embedding_length`),
  };
}

export function configurationOf(details: ModelDetails): ModelConfiguration {
  return {
    model_format: details.format,
    model_family: details.family,
    model_families: details.families,
    model_type: details.parameterSize,
    file_type: details.quantizationLevel,
    ...(details.contextLength !== undefined && { context_length: details.contextLength }),
    ...(details.embeddingLength !== undefined && { embedding_length: details.embeddingLength }),
  };
}

export function detailsOfConfiguration(configuration: ModelConfiguration): ModelDetails {
  const text = (key: string) => textIn(configuration, key) ?? "";
  const families = configuration.model_families;
  const family = text("model_family");
  return {
    format: text("model_format"),
    family,
    families: Array.isArray(families) ? families.filter(isText) : family === "" ? [] : [family],
    parameterSize: text("model_type"),
    quantizationLevel: text("file_type"),
    contextLength: numberIn(configuration, "context_length"),
    embeddingLength: numberIn(configuration, "embedding_length"),
  };
}

/** @throws Error when it is no JSON object */
export function parseConfiguration(text: string): ModelConfiguration {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error("the configuration is not an object");
  return value;
}

export function textIn(configuration: ModelConfiguration, key: string): string | undefined {
  const value = configuration[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberIn(configuration: ModelConfiguration, key: string): number | undefined {
  const value = configuration[key];
  return typeof value === "number" ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function parameterCount({ tensors }: GgufHeader): number {
  return tensors.reduce(
    (sum, { shape }) => sum + shape.reduce((product, length) => product * length, 1),
    0,
  );
}

// llama_ftype of llama.h (https://github.com/ggml-org/llama.cpp/blob/master/include/llama.h).
const quantizationNames: Record<number, string> = {
  0: "F32",
  1: "F16",
  2: "Q4_0",
  3: "Q4_1",
  7: "Q8_0",
  8: "Q5_0",
  9: "Q5_1",
  10: "Q2_K",
  11: "Q3_K_S",
  12: "Q3_K_M",
  13: "Q3_K_L",
  14: "Q4_K_S",
  15: "Q4_K_M",
  16: "Q5_K_S",
  17: "Q5_K_M",
  18: "Q6_K",
  19: "IQ2_XXS",
  20: "IQ2_XS",
  21: "Q2_K_S",
  22: "IQ3_XS",
  23: "IQ3_XXS",
  24: "IQ1_S",
  25: "IQ4_NL",
  26: "IQ3_S",
  27: "IQ3_M",
  28: "IQ2_S",
  29: "IQ2_M",
  30: "IQ4_XS",
  31: "IQ1_M",
  32: "BF16",
  36: "TQ1_0",
  37: "TQ2_0",
  38: "MXFP4",
};

function quantizationName(fileType: number | undefined): string {
  return (fileType !== undefined && quantizationNames[fileType]) || "unknown";
}
