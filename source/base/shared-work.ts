// Shares one run of work between callers that need the same result at the same time.
import { unlessAborted } from "./unless-aborted.ts";

interface Running<T, Report> {
  result: Promise<T>;
  stop: AbortController;
  watchers: Set<(report: Report) => void>;
  lastReport: Report | undefined;
}

export class SharedWork<T, Report> {
  readonly #running = new Map<string, Running<T, Report>>();

  /**
   * Joins the work of this key, or begins it. It is stopped when the last caller leaves.
   *
   * @param caller aborting `signal` leaves, which rejects with the error of `whenLeft`
   */
  async join(
    key: string,
    caller: { signal: AbortSignal; report: (report: Report) => void; whenLeft: () => Error },
    begin: (signal: AbortSignal, report: (report: Report) => void) => Promise<T>,
  ): Promise<T> {
    const { signal, report, whenLeft } = caller;
    if (signal.aborted) throw whenLeft();
    const work = this.#running.get(key) ?? this.#begin(key, begin);
    // Each caller has its own function, even if two passed the same one.
    const watcher = (news: Report) => report(news);
    work.watchers.add(watcher);
    try {
      if (work.lastReport !== undefined) watcher(work.lastReport);
      return await unlessAborted(work.result, signal, whenLeft);
    } finally {
      work.watchers.delete(watcher);
      if (work.watchers.size === 0 && this.#running.get(key) === work) {
        this.#running.delete(key);
        work.stop.abort();
        // The last caller waits until the work has cleaned up its files.
        await work.result.catch(() => {});
      }
    }
  }

  #begin(
    key: string,
    begin: (signal: AbortSignal, report: (report: Report) => void) => Promise<T>,
  ): Running<T, Report> {
    const stop = new AbortController();
    const watchers = new Set<(report: Report) => void>();
    const work: Running<T, Report> = {
      stop,
      watchers,
      lastReport: undefined,
      result: begin(stop.signal, (report) => {
        work.lastReport = report;
        for (const watcher of watchers) watcher(report);
      }).finally(() => {
        if (this.#running.get(key) === work) this.#running.delete(key);
      }),
    };
    this.#running.set(key, work);
    return work;
  }
}
