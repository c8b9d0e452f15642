// Remembers what GGUF files say until they change: a large vocabulary takes a tenth of a second to
// read, too long for every request.
import { checkTensorData, factsOf, type GgufFacts } from "../gguf/gguf-facts.ts";
import { type GgufHeader, readGguf } from "../gguf/read-gguf.ts";
import { stateOf } from "./file-state.ts";
import { detailsOf, type ModelDetails } from "./model-details.ts";

export interface GgufReading {
  /** `fileSize` is that of all parts. */
  facts: GgufFacts;
  details: ModelDetails;
}

const mostKept = 256;

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
    if (this.#readings.size >= mostKept) this.#readings.clear();
    this.#readings.set(key, { states, reading });
    return reading;
  }
}

/** A missing file is readGguf's to explain. */
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
  const fileSize = headers.reduce((sum, header) => sum + header.fileSize, 0);
  return {
    facts: { ...factsOf(parts[0] ?? "", first), fileSize },
    details: detailsOf(headers),
  };
}
