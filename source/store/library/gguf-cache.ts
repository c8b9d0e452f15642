// Caches the facts of GGUF files until they change: reading a large vocabulary takes a tenth of a
// second, too long for every request.
import { activeWeightsBytes, expertShare } from "../gguf/active-weights.ts";
import { checkTensorData, factsOf, type GgufFacts } from "../gguf/gguf-facts.ts";
import { mtpHeads } from "../gguf/mtp-heads.ts";
import { type GgufHeader, readGguf } from "../gguf/read-gguf.ts";
import { stateOf } from "./file-state.ts";
import { detailsOf, type ModelDetails } from "./model-details.ts";
import { partOf } from "./model-file.ts";
import { onePart } from "./split-model.ts";

export interface GgufReading {
  /** `fileSize` is the size of all parts together. */
  facts: GgufFacts;
  details: ModelDetails;
}

const maxKept = 256;

export class GgufCache {
  readonly #readings = new Map<string, { states: string; reading: GgufReading }>();

  /**
   * @param parts absolute paths of a model's file, or of all parts in order
   * @throws ProductError those of `readGgufFacts`
   */
  async read(parts: readonly string[]): Promise<GgufReading> {
    const key = parts.join("\0");
    const states = JSON.stringify(await Promise.all(parts.map(stateOrNone)));
    const known = this.#readings.get(key);
    if (known?.states === states) return known.reading;
    const reading = await readParts(parts);
    if (this.#readings.size >= maxKept) this.#readings.clear();
    this.#readings.set(key, { states, reading });
    return reading;
  }
}

/** `readGguf` explains a missing file. */
async function stateOrNone(file: string) {
  return await stateOf(file).catch(() => undefined);
}

async function readParts(parts: readonly string[]): Promise<GgufReading> {
  const headers: GgufHeader[] = [];
  for (const part of parts) {
    const header = await readGguf(part);
    checkTensorData(part, header);
    headers.push(header);
  }
  const [first] = headers;
  if (first === undefined) throw new Error("a model has at least one file");
  const file = parts[0] ?? "";
  const part = partOf(first);
  if (part !== undefined && parts.length === 1) throw onePart(file, part);
  const fileSize = headers.reduce((sum, header) => sum + header.fileSize, 0);
  // The first part of a split model may hold only metadata.
  const tensors = headers.flatMap((header) => header.tensors);
  const hasWeights = tensors.length > 0;
  return {
    facts: {
      ...factsOf(file, first),
      fileSize,
      hasWeights,
      expertShare: expertShare(tensors),
      mtpHeads: mtpHeads(first, tensors),
      activeBytes: activeWeightsBytes(headers),
    },
    details: detailsOf(headers),
  };
}
