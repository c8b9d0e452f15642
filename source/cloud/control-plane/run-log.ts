// The log of an app that is run once, told to its runner: every line once, from its start to its last.
import type { Engine } from "../engines/engine.ts";
import type { AppKey } from "../state/app-records.ts";
import type { RunFeed } from "./run-feed.ts";

export class RunLog {
  readonly #engine: Pick<Engine, "logs">;
  readonly #of: AppKey & { sinceMs: number };
  readonly #feed: RunFeed;
  /** As in `LogQuery.after`. */
  readonly #told = new Map<string, number>();

  /** @param of what was run before under the same name is left out by its time */
  constructor(engine: Pick<Engine, "logs">, of: AppKey & { sinceMs: number }, feed: RunFeed) {
    this.#engine = engine;
    this.#of = of;
    this.#feed = feed;
  }

  /** Tells what is there and what comes, until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.#tell(true, signal);
  }

  /** Tells what was written since `follow` ended: it may have been behind. */
  async rest(signal: AbortSignal): Promise<void> {
    await this.#tell(false, signal);
  }

  async #tell(follow: boolean, signal: AbortSignal): Promise<void> {
    const after = new Map(this.#told);
    for await (const line of this.#engine.logs({ ...this.#of, after, follow, signal })) {
      if (signal.aborted) return;
      this.#feed.add({ kind: "line", line });
      this.#told.set(`${line.revision}/${line.replica}`, line.seq);
      await this.#feed.room(signal);
    }
  }
}
