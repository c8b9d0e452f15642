// Event feed of an ephemeral app: its events, and log lines at the reader's pace.
import { AsyncQueue } from "../../base/async-queue.ts";
import type { EphemeralEvent } from "../admin/documents.ts";

/** Number of unread events at which log lines start to wait. */
const mostWaiting = 1000;

/** Feeds one reader, which may be slower than the writer. */
export class RunFeed {
  readonly #queue = new AsyncQueue<EphemeralEvent>();
  #waiting = 0;
  #onRoom: () => void = () => {};

  add(event: EphemeralEvent): void {
    this.#waiting += 1;
    this.#queue.push(event);
  }

  /** Resolves when the reader has caught up enough, or at the signal. */
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
