// Lets others have a turn of the event loop during long work that would not wait for anything by itself.
import { setImmediate as othersTurn } from "node:timers/promises";

/** Short beside what a reader of a streamed answer notices. */
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
