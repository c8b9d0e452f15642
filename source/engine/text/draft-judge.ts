// Whether guessing tokens pays, by measuring: checking a guess costs a larger step, and on small
// models that step costs more than the tokens it may save.

const samplesBeforeJudging = 3;
const firstProbeInterval = 16;
const longestProbeInterval = 1024;

export class DraftJudge {
  readonly #msPerToken = { plain: 0, drafted: 0 };
  readonly #samples = { plain: 0, drafted: 0 };
  #stepsSinceProbe = 0;
  #probeInterval = firstProbeInterval;

  /** Whether the next step should carry a guess, if there is one. */
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
   * @param tokens how many tokens of the answer the step gave
   */
  note(isDrafted: boolean, tokens: number, milliseconds: number): void {
    const kind = isDrafted ? "drafted" : "plain";
    const perToken = milliseconds / Math.max(1, tokens);
    const known = this.#msPerToken[kind];
    // Text that begins to repeat changes what a guess is worth at once.
    const weight = isDrafted ? 0.5 : 0.2;
    this.#msPerToken[kind] =
      this.#samples[kind] === 0 ? perToken : (1 - weight) * known + weight * perToken;
    this.#samples[kind] += 1;
    if (isDrafted && perToken < this.#msPerToken.plain) this.#probeInterval = firstProbeInterval;
  }
}
