// Event feeds of deployments, which late readers receive from the beginning, and of ephemeral apps,
// whose log waits for a slow reader.
import { AsyncQueue } from "../../base/async-queue.ts";
import type { DeployEvent, EphemeralEvent } from "../admin/documents.ts";
import { Changes } from "../changes.ts";

/** Log lines of a deployment that are kept; a server's start-up output may be endless. */
const usualMostLines = 10_000;

/** Replaces the lines beyond the limit. */
export const furtherLines: DeployEvent = {
  kind: "log",
  text: "… for more lines, run `deployctl logs APP`",
};

/** Delivers a deployment's events, in order, to any number of readers. */
export class DeployFeed {
  readonly #events: DeployEvent[] = [];
  readonly #changes = new Changes();
  readonly #maxLines: number;
  #lines = 0;
  #isEnded = false;

  constructor(maxLines = usualMostLines) {
    this.#maxLines = maxLines;
  }

  add(event: DeployEvent): void {
    if (this.#isEnded) return;
    if (event.kind === "log") this.#lines += 1;
    if (event.kind !== "log" || this.#lines <= this.#maxLines) this.#events.push(event);
    else if (this.#lines === this.#maxLines + 1) this.#events.push(furtherLines);
    this.#changes.notify();
  }

  end(): void {
    this.#isEnded = true;
    this.#changes.notify();
  }

  async *read(): AsyncGenerator<DeployEvent> {
    for (let next = 0; ; next += 1) {
      await this.#changes.until(() => next < this.#events.length || this.#isEnded || undefined);
      const event = this.#events[next];
      if (event === undefined) return;
      yield event;
    }
  }
}

/** Number of unread events at which log lines start to wait for the reader. */
const maxUnread = 1000;

/** Feeds one reader, which may be slower than the writer. */
export class RunFeed {
  readonly #queue = new AsyncQueue<EphemeralEvent>();
  readonly #changes = new Changes();
  #unread = 0;

  add(event: EphemeralEvent): void {
    this.#unread += 1;
    this.#queue.push(event);
  }

  /** Resolves when the reader has caught up enough, or at the signal. */
  async room(signal: AbortSignal): Promise<void> {
    const hasRoom = () => this.#unread < maxUnread || undefined;
    // An abort ends the wait.
    await this.#changes.until(hasRoom, signal).catch(() => {});
  }

  end(): void {
    this.#queue.end();
  }

  async *read(): AsyncGenerator<EphemeralEvent> {
    for await (const event of this.#queue) {
      this.#unread -= 1;
      this.#changes.notify();
      yield event;
    }
  }
}
