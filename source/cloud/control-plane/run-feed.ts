// What the runner of an app is told: events as they come, and lines of the log as fast as they are read.
import { AsyncQueue } from "../../base/async-queue.ts";
import type { EphemeralEvent } from "../admin/documents.ts";

/** So many events may wait for a reader before the next line does. */
const mostWaiting = 1000;

/** One reader, who may be slower than what is written. */
export class RunFeed {
  readonly #queue = new AsyncQueue<EphemeralEvent>();
  #waiting = 0;
  #onRoom: () => void = () => {};

  add(event: EphemeralEvent): void {
    this.#waiting += 1;
    this.#queue.push(event);
  }

  /** Resolves when the reader has not too much before it any more, or at the signal. */
  async room(signal: AbortSignal): Promise<void> {
    const stop = () => this.#onRoom();
    signal.addEventListener("abort", stop);
    while (this.#waiting >= mostWaiting && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
    signal.removeEventListener("abort", stop);
  }

  end(): void {
    this.#queue.end();
  }

  async *read(): AsyncGenerator<EphemeralEvent> {
    for await (const event of this.#queue) {
      this.#waiting -= 1;
      this.#onRoom();
      yield event;
    }
  }
}
