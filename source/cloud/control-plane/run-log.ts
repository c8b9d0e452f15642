// Log of an ephemeral app: every line is sent once, from first to last.
import type { Engine } from "../engines/engine.ts";
import type { AppKey } from "../state/app-records.ts";
import type { RunFeed } from "./run-feed.ts";

export class RunLog {
  readonly #engine: Pick<Engine, "logs">;
  readonly #of: AppKey & { sinceMs: number };
  readonly #feed: RunFeed;
  /** Last lines sent, in the form of `LogQuery.after`. */
  readonly #sent = new Map<string, number>();

  /** @param of excludes, by its time, earlier apps of the same name */
  constructor(engine: Pick<Engine, "logs">, of: AppKey & { sinceMs: number }, feed: RunFeed) {
    this.#engine = engine;
    this.#of = of;
    this.#feed = feed;
  }

  /** Sends existing and new lines until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.#send(true, signal);
  }

  /** Sends lines that were written before `follow` ended and not sent yet. */
  async rest(signal: AbortSignal): Promise<void> {
    await this.#send(false, signal);
  }

  async #send(follow: boolean, signal: AbortSignal): Promise<void> {
    const after = new Map(this.#sent);
    for await (const line of this.#engine.logs({ ...this.#of, after, follow, signal })) {
      if (signal.aborted) return;
      this.#feed.add({ kind: "line", line });
      this.#sent.set(`${line.revision}/${line.replica}`, line.seq);
      await this.#feed.room(signal);
    }
  }
}
