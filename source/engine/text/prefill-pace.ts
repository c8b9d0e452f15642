// Number of prompt tokens to read in a step.
//
// Long steps read prompts faster, above all on a GPU; short ones keep other requests' answers going
// and cancellation fast. So the chunk grows until a step reaches a duration that users do not
// notice.

const smallestChunk = 64;
/** Target duration of a step when no answer is being written, and when others are. */
const stepMs = { alone: 200, shared: 60 };
/** Longest step for reading prompts whole: reading several whole ones is the fastest. */
const wholeStepMs = { alone: 800, shared: 90 };
/** A step may take this many times its target if it then reads whole prompts. */
const stretch = 1.5;
/** Waiting for simultaneous prompts may cost this share of the reading time, up to a maximum. */
const gathering = { share: 0.015, maxMs: 5 };
/** Weight of the latest step. */
const weight = 0.3;

/** Prompt tokens to read in a step, and the maximum if that avoids cutting a prompt. */
export interface PrefillChunk {
  wanted: number;
  most: number;
}

export class PrefillPace {
  readonly #fixed: number | undefined;
  readonly #largest: number;
  #msPerToken: number | undefined;

  /**
   * @param fixed configured chunk; undefined adapts
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
    // Matrix code is fastest with powers of two, and small differences do not matter.
    const chunk = 2 ** Math.floor(Math.log2(Math.max(1, this.#tokensIn(stepMs[kind]))));
    const wanted = Math.min(this.#largest, Math.max(smallestChunk, chunk));
    const most = Math.max(wanted * stretch, this.#tokensIn(wholeStepMs[kind]));
    return { wanted, most: Math.min(this.#largest, Math.floor(most)) };
  }

  /**
   * Milliseconds to wait for simultaneous prompts, which are then read together.
   *
   * @param tokens to be read so far
   */
  gatherMs(tokens: number): number {
    const readingMs = tokens * (this.#msPerToken ?? 0);
    return Math.min(gathering.maxMs, readingMs * gathering.share);
  }

  /** Returns 0 before the first measurement. */
  #tokensIn(milliseconds: number): number {
    return this.#msPerToken === undefined ? 0 : milliseconds / this.#msPerToken;
  }

  /** Learns from the duration of a step that read prompts. */
  note(tokens: number, milliseconds: number): void {
    // A few remaining tokens cost nearly as much as a full chunk and would look slow.
    if (tokens < smallestChunk / 2) return;
    const msPerToken = milliseconds / tokens;
    this.#msPerToken =
      this.#msPerToken === undefined
        ? msPerToken
        : weight * msPerToken + (1 - weight) * this.#msPerToken;
  }
}
