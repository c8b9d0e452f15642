// Measured decision on speculative drafts: checking a draft needs a larger step, which on small models
// costs more than the tokens it may save.

const samplesBeforeJudging = 3;
const firstProbeInterval = 16;
const longestProbeInterval = 1024;

export class DraftPolicy {
  readonly #msPerToken = { plain: 0, drafted: 0 };
  readonly #samples = { plain: 0, drafted: 0 };
  #stepsSinceProbe = 0;
  #probeInterval = firstProbeInterval;

  /** Returns true if the next step should include a draft, if there is one. */
  allows(): boolean {
    if (this.#samples.plain < samplesBeforeJudging) return false;
    if (this.#samples.drafted < samplesBeforeJudging) return true;
    if (this.#msPerToken.drafted < this.#msPerToken.plain) return true;
    this.#stepsSinceProbe += 1;
    if (this.#stepsSinceProbe < this.#probeInterval) return false;
    this.#stepsSinceProbe = 0;
    this.#probeInterval = Math.min(longestProbeInterval, this.#probeInterval * 2);
    return true;
  }

  /**
   * Learns from a step of one answering slot.
   *
   * @param tokens number of the answer's tokens from this step
   */
  note(isDrafted: boolean, tokens: number, milliseconds: number): void {
    const kind = isDrafted ? "drafted" : "plain";
    const perToken = milliseconds / Math.max(1, tokens);
    const known = this.#msPerToken[kind];
    // Drafts become useful at once when text begins to repeat.
    const weight = isDrafted ? 0.5 : 0.2;
    this.#msPerToken[kind] =
      this.#samples[kind] === 0 ? perToken : (1 - weight) * known + weight * perToken;
    this.#samples[kind] += 1;
    if (isDrafted && perToken < this.#msPerToken.plain) this.#probeInterval = firstProbeInterval;
  }
}
