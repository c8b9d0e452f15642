// Repeated looks at a cluster, one at a time, as Ray reports no changes by itself.
import { describeError } from "../../../base/product-error.ts";

export interface ClusterWatchOptions {
  /** Called again and again; an error is logged once and does not end the watch. */
  look: () => Promise<void>;
  /** Returns true while replicas start or end, which is watched more closely. */
  isBusy: () => boolean;
  log: (text: string) => void;
}

const busyPauseMs = 400;
const pauseMs = 1_000;

export class ClusterWatch {
  readonly #options: ClusterWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #problem: string | undefined;
  #isClosed = false;

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
  }

  /** Starts the watch, or looks again soon. */
  wake(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#looking !== undefined) return;
    const waitMs = this.#options.isBusy() ? busyPauseMs : pauseMs;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined;
        this.wake();
      });
    }, waitMs);
  }

  /** Resolves when the last look is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { look, log } = this.#options;
    try {
      await look();
      if (this.#problem !== undefined) log("the Ray cluster answers again");
      this.#problem = undefined;
    } catch (error) {
      const problem = describeError(error);
      if (problem !== this.#problem) log(problem);
      this.#problem = problem;
    }
  }
}
