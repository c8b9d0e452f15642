// Limit of the tokens that a model thinks for before it answers.
import type { ThinkingRequest } from "../generation.ts";

/**
 * Follows the thinking of one answer. When its budget is used up, the closing tag is written in the
 * model's place, and the model continues with its answer.
 */
export class ThinkingLimit {
  readonly #open: string;
  readonly #close: string;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #place: "start" | "thinking" | "done";
  readonly #asked: number | undefined;
  #budget: number;
  #tokens = 0;
  #text = "";
  /** Bytes that the character in progress still lacks. */
  #missing = 0;

  /** @param maxTokens most tokens of thinking and answer, of which a quarter is left for the answer */
  constructor({ open, close, startsInside, budget }: ThinkingRequest, maxTokens: number) {
    const room = Math.floor(maxTokens * 0.75);
    this.#open = open.trimStart();
    this.#close = close;
    this.#place = startsInside ? "thinking" : "start";
    this.#asked = budget;
    this.#budget = budget === undefined ? Number.POSITIVE_INFINITY : Math.min(budget, room);
  }

  /** Returns the budget if it is smaller than the request's. */
  get reducedBudget(): number | undefined {
    return this.#asked !== undefined && this.#budget < this.#asked ? this.#budget : undefined;
  }

  /** True where the thinking must be closed: within it, between two characters, beyond the budget. */
  get isUsedUp(): boolean {
    return this.#place === "thinking" && this.#missing === 0 && this.#tokens >= this.#budget;
  }

  /** Text that closes the thinking, as models were trained to write it. */
  get closing(): string {
    return this.#close.startsWith("</") ? `\n${this.#close}\n\n` : this.#close;
  }

  /** Closes the thinking at the next token, or as soon as it begins. */
  endNow(): void {
    this.#budget = 0;
  }

  /** @param bytes of the next token; empty for hidden control tokens */
  push(bytes: Uint8Array): void {
    if (this.#place === "done") return;
    this.#missing = missingBytes(bytes, this.#missing);
    this.#text += this.#decoder.decode(bytes, { stream: true });
    if (this.#place === "start") this.#leaveStart();
    else this.#follow();
  }

  #leaveStart(): void {
    const begun = this.#text.trimStart();
    if (begun.startsWith(this.#open)) {
      this.#text = begun.slice(this.#open.length);
      this.#place = "thinking";
    } else if (!this.#open.startsWith(begun)) {
      this.#place = "done";
    }
  }

  #follow(): void {
    this.#tokens += 1;
    if (this.#text.includes(this.#close)) this.#place = "done";
    else this.#text = this.#text.slice(-this.#close.length);
  }
}

/** Counts the bytes that a text in UTF-8 still lacks after its last token. */
function missingBytes(bytes: Uint8Array, before: number): number {
  let missing = before;
  for (const byte of bytes) {
    if (byte >= 0xf0) missing = 3;
    else if (byte >= 0xe0) missing = 2;
    else if (byte >= 0xc0) missing = 1;
    else missing = byte >= 0x80 ? Math.max(0, missing - 1) : 0;
  }
  return missing;
}
