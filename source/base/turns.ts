// Yields to the event loop during long synchronous work.
import { setImmediate as othersTurn } from "node:timers/promises";

/** Too short to be noticed in a streamed answer. */
const turnMs = 5;

export class Turns {
  #endsAt = performance.now() + turnMs;

  /** Await it between two steps; it resolves at once while the turn lasts. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAt) return;
    await othersTurn();
    this.#endsAt = performance.now() + turnMs;
  }
}
