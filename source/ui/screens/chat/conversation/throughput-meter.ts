// Tokens per second of a running answer: the mean over the last second.

const windowMs = 1000;

/** Counts tokens as they come; the clock's milliseconds are handed in. */
export class ThroughputMeter {
  #times: number[] = [];
  #firstMs: number | undefined;

  /** Notes one token. */
  add(nowMs: number): void {
    this.#firstMs ??= nowMs;
    this.#times.push(nowMs);
  }

  /**
   * Tokens per second; in the first second of an answer the mean since its first token. Undefined
   * until there is a time to divide by.
   */
  rate(nowMs: number): number | undefined {
    const start = nowMs - windowMs;
    const firstInside = this.#times.findIndex((time) => time > start);
    this.#times = firstInside === -1 ? [] : this.#times.slice(firstInside);
    if (this.#firstMs === undefined) return undefined;
    if (this.#firstMs <= start) return this.#times.length / (windowMs / 1000);
    // The first token marks the start of the time, it was not produced in it.
    const spanMs = nowMs - this.#firstMs;
    const tokens = this.#times.length - 1;
    return tokens < 1 || spanMs <= 0 ? undefined : (tokens * 1000) / spanMs;
  }
}
