// Errors in a row that apps answer with. They show an app that fails although its replicas are ready.
import type { Clock } from "../../base/clock.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import { type AppKey, appName } from "../state/app-records.ts";

type Answer = Pick<
  ExchangeRecord,
  "organisation" | "app" | "revision" | "replica" | "status" | "errorType"
>;

interface Streak {
  count: number;
  status: number;
  /** Monotonic time of the last error. */
  at: number;
}

/** Errors in a row after which an app counts as failing. */
const failingErrors = 5;
/** Time after the last error during which the app still counts as failing. */
const failingMs = 600_000;

export class ErrorStreaks {
  readonly #clock: Clock;
  /** By `organisation/app`, then by revision: while traffic is split, one may fail and the other not. */
  readonly #streaks = new Map<string, Map<string, Streak>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a request that is over. Those that reached no replica say nothing about the app. */
  note({ organisation, app, revision, replica, status, errorType }: Answer): void {
    if (organisation === undefined || app === undefined || revision === undefined) return;
    if (replica === undefined || errorType === "client_disconnected") return;
    const name = appName({ organisation, app });
    const streaks = this.#streaks.get(name) ?? new Map<string, Streak>();
    this.#streaks.set(name, streaks);
    for (const [other, streak] of streaks) {
      if (other !== revision && this.#isOver(streak)) streaks.delete(other);
    }
    if (status < 400 && errorType === undefined) {
      streaks.delete(revision);
    } else {
      const count = (streaks.get(revision)?.count ?? 0) + 1;
      streaks.set(revision, { count, status, at: this.#clock.now() });
    }
    if (streaks.size === 0) this.#streaks.delete(name);
  }

  /**
   * Tells which revisions answer with errors alone.
   *
   * @param revisions those that get traffic; if there are several, a sentence names the one that fails
   * @returns a sentence for each that fails; undefined if none does
   */
  reasonOf(app: AppKey, revisions: readonly string[]): string | undefined {
    const streaks = this.#streaks.get(appName(app));
    const sentences = revisions.flatMap((revision) => {
      const streak = streaks?.get(revision);
      if (streak === undefined || streak.count < failingErrors || this.#isOver(streak)) return [];
      const { count, status } = streak;
      const answers =
        revisions.length > 1
          ? `The last ${count} answers of ${revision}`
          : `Its last ${count} answers`;
      const latest = status < 400 ? "in a stream" : `with status ${status}`;
      return [`${answers} were errors, the latest ${latest}.`];
    });
    return sentences.length === 0 ? undefined : sentences.join(" ");
  }

  delete(app: AppKey): void {
    this.#streaks.delete(appName(app));
  }

  #isOver({ at }: Streak): boolean {
    return this.#clock.now() - at > failingMs;
  }
}
