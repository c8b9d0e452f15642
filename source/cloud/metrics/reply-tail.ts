// End of a response, where model servers report token counts, and the error that ended a stream.
import { isRecord, parseJson } from "../../base/json.ts";
import type { TokenCounts } from "../gateway/exchange-record.ts";

/** Bytes kept from the end of a response. */
const keptBytes = 64 * 1024;
/** Number of markers to try: streams may send `"usage":null` with every chunk. */
const maxTries = 8;
const marker = '"usage":';

/** Keeps references to the last chunks, and delays nothing. */
export class ReplyTail {
  #pieces: Buffer[] = [];
  #bytes = 0;

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    let drop = 0;
    for (const first of this.#pieces) {
      if (this.#bytes - first.length < keptBytes) break;
      this.#bytes -= first.length;
      drop += 1;
    }
    if (drop > 0) this.#pieces.splice(0, drop);
  }

  /** @returns undefined when the end has no token counts */
  read(): TokenCounts | undefined {
    const text = this.#text();
    let place = text.lastIndexOf(marker);
    for (let tries = 0; place >= 0 && tries < maxTries; tries += 1) {
      const counts = readUsage(text, place + marker.length);
      if (counts !== undefined) return counts;
      place = place === 0 ? -1 : text.lastIndexOf(marker, place - 1);
    }
    return undefined;
  }

  /**
   * Returns true for a stream whose last event or line is an error, in the forms of OpenAI's,
   * Anthropic's and Ollama's servers.
   */
  endsWithError(): boolean {
    const lines = this.#text().split(/[\r\n]+/);
    const last = lines.map(dataOf).findLast((data) => data !== "" && data !== "[DONE]");
    const document = last === undefined ? undefined : parseJson(last);
    if (!isRecord(document)) return false;
    const { error, type } = document;
    const hasError = isRecord(error) || (typeof error === "string" && error !== "");
    return hasError || type === "error" || type === "response.failed";
  }

  #text(): string {
    return Buffer.concat(this.#pieces).subarray(-keptBytes).toString("latin1");
  }
}

/** Returns the data of an event's line, or a whole line of JSON; empty for all others. */
function dataOf(line: string): string {
  const text = line.startsWith("data:") ? line.slice("data:".length).trim() : line;
  return /^(?:\{|\[DONE\])/.test(text) ? text : "";
}

/** Accepts the field names of OpenAI's chat and responses APIs, and of Anthropic. */
function readUsage(text: string, begin: number): TokenCounts | undefined {
  const usage = readObject(text, begin);
  if (usage === undefined) return undefined;
  const prompt = count(usage.prompt_tokens) ?? count(usage.input_tokens);
  const completion = count(usage.completion_tokens) ?? count(usage.output_tokens);
  if (prompt === undefined && completion === undefined) return undefined;
  const details = usage.prompt_tokens_details ?? usage.input_tokens_details;
  const cached = isRecord(details) ? count(details.cached_tokens) : undefined;
  return { prompt: prompt ?? 0, completion: completion ?? 0, cached: cached ?? 0 };
}

/** Returns the JSON object that starts here. Its values are counts, so no string holds a brace. */
function readObject(text: string, begin: number): Record<string, unknown> | undefined {
  const open = /^\s*\{/.exec(text.slice(begin, begin + 100));
  if (open === null) return undefined;
  let depth = 0;
  for (let index = begin + open[0].length - 1; index < text.length; index += 1) {
    if (text[index] === "{") depth += 1;
    if (text[index] === "}") depth -= 1;
    if (depth > 0) continue;
    // A model's output may look like it.
    const value = parseJson(text.slice(begin, index + 1));
    return isRecord(value) ? value : undefined;
  }
  return undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
