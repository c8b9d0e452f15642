// Yields to the event loop during long synchronous work.
import { setImmediate as othersTurn } from "node:timers/promises";

/** Too short for a reader of a streamed answer to notice. */
const turnMs = 5;

export class Turns {
  #endsAt = performance.now() + turnMs;

  /** To be awaited between two steps of the work: at once while the turn lasts. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAt) return;
    await othersTurn();
    this.#endsAt = performance.now() + turnMs;
  }
}
