// How many prompt tokens a step reads.
//
// Long steps read prompts faster, above all on a GPU; short ones keep the answers of other requests
// going and an abort quick. So the chunk grows until a step takes as long as a person does not mind.

const smallestChunk = 64;
/** What a step may take when nobody else waits for it, and while other answers are being written. */
const stepMs = { alone: 200, shared: 60 };
/** What a step may take for not cutting prompts: reading several whole is the fastest of all. */
const wholeStepMs = { alone: 800, shared: 90 };
/** So much longer than wanted a step may always be for that. */
const stretch = 1.5;
/** Waiting for others that come at the same moment may cost this share of reading, and so long. */
const gathering = { share: 0.015, maximumMs: 5 };
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
    const kind = isAlone ? "alone" : "shared";
    // Powers of two: the matrix code likes them, and small differences change nothing.
    const chunk = 2 ** Math.floor(Math.log2(Math.max(1, this.#tokensIn(stepMs[kind]))));
    const wanted = Math.min(this.#largest, Math.max(smallestChunk, chunk));
    const most = Math.max(wanted * stretch, this.#tokensIn(wholeStepMs[kind]));
    return { wanted, most: Math.min(this.#largest, Math.floor(most)) };
  }

  /**
   * How long reading may be put off for prompts that come at the same moment: those are read together.
   *
   * @param tokens to be read so far
   * @returns milliseconds
   */
  gatherMs(tokens: number): number {
    const readingMs = tokens * (this.#msPerToken ?? 0);
    return Math.min(gathering.maximumMs, readingMs * gathering.share);
  }

  /** 0 while nothing is known. */
  #tokensIn(milliseconds: number): number {
    return this.#msPerToken === undefined ? 0 : milliseconds / this.#msPerToken;
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
