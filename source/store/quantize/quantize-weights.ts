// Quantizes weights with llama.cpp's llama-quantize, into a new blob.
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { quoteShort } from "../../base/display-text.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { runGroup } from "../../base/process-group.ts";
import { ProductError } from "../../base/product-error.ts";
import { unfinishedPath } from "../../base/unfinished-files.ts";
import { storeErrors } from "../errors.ts";
import { readGguf } from "../gguf/read-gguf.ts";
import { moveIntoStore } from "../library/copy-file.ts";
import type { ProgressRecord } from "../library/layer-maker.ts";
import type { WeightsConversion } from "../library/model-base.ts";
import { detailsOf } from "../library/model-details.ts";
import type { ModelStore } from "../library/model-store.ts";
import { linkedParts } from "../library/split-model.ts";

/** Reports progress, and signals cancellation. */
export interface QuantizeWork {
  onProgress: (record: ProgressRecord) => void;
  signal: AbortSignal | undefined;
}

/** Finds llama-quantize, or builds it. */
export interface QuantizeProgram {
  /** @returns its path; @throws ProductError if none exists and none can be built */
  path: (work: QuantizeWork) => Promise<string>;
}

const sources = ["F16", "BF16", "F32"];

/**
 * Returns the conversion that `createModel` uses to quantize a model's weights.
 * @param typeText in any letter case
 * @throws ProductError `STORE_QUANTIZATION_UNKNOWN`; the conversion `STORE_QUANTIZATION_REFUSED`,
 *   `STORE_QUANTIZATION_FAILED`, `STORE_DISK_FULL`
 */
export function quantizing(
  store: ModelStore,
  program: QuantizeProgram,
  typeText: string,
  work: QuantizeWork,
): WeightsConversion {
  const type = parseQuantizationType(typeText);
  return async (parts) => {
    const headers = await Promise.all(parts.map((part) => readGguf(part)));
    const from = detailsOf(headers).quantizationLevel;
    if (!sources.includes(from)) throw refused(from);
    const executable = await program.path(work);
    const source = await linkedParts(parts, store.splitsFolder);
    const result = unfinishedPath(path.join(store.folder.blobsFolder, "blob"));
    const total = headers.reduce((sum, { fileSize }) => sum + fileSize, 0);
    const status = `quantizing ${from} model to ${type}`;
    const digest = parts.length === 1 ? store.folder.blobDigest(source) : undefined;
    const report = (share: number) =>
      work.onProgress({
        status,
        ...(digest !== undefined && { digest }),
        total,
        completed: Math.floor(total * share),
      });
    await mkdir(path.dirname(result), { recursive: true });
    try {
      report(0);
      await runProgram(executable, [source, result, type], report, work.signal);
      report(1);
      return await moveIntoStore(store, result, { signal: work.signal });
    } finally {
      await rm(result, { force: true });
    }
  };
}

/** `[  12/ 291] blk.0.attn_k.weight - …`: a line for each tensor. */
const tensorLine = /^\[\s*(\d+)\/\s*(\d+)\]/;
const linesKept = 5;

async function runProgram(
  executable: string,
  words: readonly string[],
  report: (share: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const child = runGroup(executable, words, { signal });
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      const [, done, all] = tensorLine.exec(line) ?? [];
      // The line marks the start of a tensor; completion is reported at the end.
      if (done !== undefined) report((Number(done) - 1) / Number(all));
      else if (line.trim() !== "") lastLines.push(line.trim());
      if (lastLines.length > linesKept) lastLines.shift();
    });
  }
  const outcome = await child.ended;
  signal?.throwIfAborted();
  if (outcome !== undefined) throw failed(executable, `it ${outcome}`, lastLines);
}

function refused(from: string): ProductError {
  return new ProductError(storeErrors.quantizationRefused, {
    message: `quantization is only supported for F16, BF16 and F32 models, and this one is ${from}`,
    hint: "Start from a full-precision file.",
    param: "quantize",
  });
}

function failed(executable: string, outcome: string, lines: readonly string[]): ProductError {
  const said = lines.at(-1);
  if (lines.some((line) => /no space left|disk quota/i.test(line))) {
    return new ProductError(storeErrors.diskFull, {
      message: `Disk full while quantizing the model: ${said}.`,
      hint: "Free some space, or choose a smaller type.",
    });
  }
  return new ProductError(storeErrors.quantizationFailed, {
    message: `${executable} failed to quantize the model: ${outcome}${said === undefined ? "" : `; it said: ${said}`}.`,
    hint: "Check that llama.cpp supports the model's architecture.",
  });
}

// Types of llama-quantize that need no importance matrix
// (https://github.com/ggml-org/llama.cpp/blob/master/tools/quantize/README.md).
const targetTypes = [
  "Q2_K",
  "Q3_K_S",
  "Q3_K_M",
  "Q3_K_L",
  "Q4_0",
  "Q4_1",
  "Q4_K_S",
  "Q4_K_M",
  "IQ4_XS",
  "IQ4_NL",
  "Q5_0",
  "Q5_1",
  "Q5_K_S",
  "Q5_K_M",
  "Q6_K",
  "Q8_0",
  "F16",
  "BF16",
  "F32",
];

/**
 * @param text in any letter case
 * @returns the type as llama-quantize writes it
 * @throws ProductError `STORE_QUANTIZATION_UNKNOWN`
 */
export function parseQuantizationType(text: string): string {
  const wanted = text.trim().toUpperCase();
  if (targetTypes.includes(wanted)) return wanted;
  const nearest = nearestName(wanted, targetTypes);
  throw new ProductError(storeErrors.quantizationUnknown, {
    message: `unknown type ${quoteShort(text)}: weights cannot be quantized to it.`,
    hint:
      nearest === undefined ? `Use one of ${targetTypes.join(", ")}.` : `Did you mean ${nearest}?`,
    param: "quantize",
  });
}
