// Errors in a row that apps answer with: a replica may be ready, and the app still not work.
import type { Clock } from "../../base/clock.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import { type AppKey, appName } from "../state/app-records.ts";

type Answer = Pick<
  ExchangeRecord,
  "organisation" | "app" | "revision" | "replica" | "status" | "errorType"
>;

interface Streak {
  revision: string;
  count: number;
  status: number;
  /** Monotonic time of the last error. */
  at: number;
}

/** Errors in a row from which on an app counts as failing. */
const fewest = 5;
/** Time after the last one for which that holds. */
const longestMs = 600_000;

export class ErrorStreaks {
  readonly #clock: Clock;
  /** By `organisation/app`. */
  readonly #streaks = new Map<string, Streak>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a request that is over; those that reached no replica say nothing about the app. */
  note({ organisation, app, revision, replica, status, errorType }: Answer): void {
    if (organisation === undefined || app === undefined || revision === undefined) return;
    if (replica === undefined || errorType === "client_disconnected") return;
    const name = appName({ organisation, app });
    if (status < 400 && errorType === undefined) {
      this.#streaks.delete(name);
      return;
    }
    const known = this.#streaks.get(name);
    const count = known?.revision === revision ? known.count + 1 : 1;
    this.#streaks.set(name, { revision, count, status, at: this.#clock.now() });
  }

  /** @returns a sentence while the app answers with errors alone; undefined otherwise */
  reasonOf(app: AppKey, revision: string): string | undefined {
    const streak = this.#streaks.get(appName(app));
    if (streak === undefined || streak.revision !== revision || streak.count < fewest)
      return undefined;
    if (this.#clock.now() - streak.at > longestMs) return undefined;
    const latest = streak.status < 400 ? "in a stream" : `with status ${streak.status}`;
    return `Its last ${streak.count} answers were errors, the latest ${latest}.`;
  }

  delete(app: AppKey): void {
    this.#streaks.delete(appName(app));
  }
}
