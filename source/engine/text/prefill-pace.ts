// How many prompt tokens a step reads.
//
// Long steps read prompts faster, above all on a GPU; short ones keep the answers of other requests
// going and an abort quick. So the chunk grows until a step takes as long as a person does not mind.

const smallestChunk = 64;
/** What a step may take when nobody else waits for it, and while other answers are being written. */
const stepMs = { alone: 200, shared: 60 };
/** So much longer may a step become for not cutting a prompt. */
const stretch = 1.5;
/** The latest step says most. */
const weight = 0.3;

/** How many prompt tokens a step should read, and at most may where that saves cutting a prompt. */
export interface PrefillChunk {
  wanted: number;
  most: number;
}

export class PrefillPace {
  readonly #fixed: number | undefined;
  readonly #largest: number;
  #msPerToken: number | undefined;

  /**
   * @param fixed the chunk that was asked for; undefined adapts
   * @param largest tokens that fit into one step
   */
  constructor(fixed: number | undefined, largest: number) {
    this.#fixed = fixed === undefined ? undefined : Math.min(fixed, largest);
    this.#largest = largest;
  }

  /** @param isAlone no answer is being written meanwhile */
  chunk(isAlone: boolean): PrefillChunk {
    if (this.#fixed !== undefined) return { wanted: this.#fixed, most: this.#fixed };
    const wanted = this.#fitting(isAlone);
    return { wanted, most: Math.min(this.#largest, Math.floor(wanted * stretch)) };
  }

  #fitting(isAlone: boolean): number {
    const smallest = Math.min(smallestChunk, this.#largest);
    if (this.#msPerToken === undefined) return smallest;
    const fitting = (isAlone ? stepMs.alone : stepMs.shared) / this.#msPerToken;
    // Powers of two: the matrix code likes them, and small differences change nothing.
    const chunk = 2 ** Math.floor(Math.log2(Math.max(1, fitting)));
    return Math.min(this.#largest, Math.max(smallest, chunk));
  }

  /** Learns how long it took to read so many tokens. */
  note(tokens: number, milliseconds: number): void {
    // A rest of a few tokens costs nearly as much as a full chunk and would look slow.
    if (tokens < smallestChunk / 2) return;
    const msPerToken = milliseconds / tokens;
    this.#msPerToken =
      this.#msPerToken === undefined
        ? msPerToken
        : weight * msPerToken + (1 - weight) * this.#msPerToken;
  }
}
