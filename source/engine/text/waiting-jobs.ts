// Queue of requests that wait for a slot. Clients take turns, however many requests one of them
// sends.
import { setTimeout as sleep } from "node:timers/promises";
import type { GenerationRequest } from "../generation.ts";
import type { Job } from "./job.ts";

export class WaitingJobs {
  #jobs: Job[] = [];

  get length(): number {
    return this.#jobs.length;
  }

  get first(): Job | undefined {
    return this.#jobs[0];
  }

  /** @param running jobs with a slot, which count as their clients' turns */
  join(job: Job, running: readonly Job[]): void {
    joinQueue(this.#jobs, job, running);
  }

  find(id: number): Job | undefined {
    return this.#jobs.find((job) => job.id === id);
  }

  remove(job: Job): void {
    this.#jobs = this.#jobs.filter((waiting) => waiting !== job);
  }

  /** @returns the removed jobs */
  removeCancelled(): Job[] {
    const cancelled = this.#jobs.filter((job) => job.cancelled);
    if (cancelled.length > 0) this.#jobs = this.#jobs.filter((job) => !job.cancelled);
    return cancelled;
  }

  /**
   * Waits for simultaneous requests as long as that pays off.
   *
   * @param worthMs returns how long the first one may wait, given the work so far
   */
  async gather(worthMs: (waiting: readonly Job[]) => number): Promise<void> {
    const { first } = this;
    if (first === undefined) return;
    while (true) {
      const leftMs = worthMs(this.#jobs) - (performance.now() - first.arrived);
      // Timers cannot be shorter than a millisecond.
      if (leftMs < 0.5) return;
      await sleep(leftMs);
    }
  }

  /** Reports to each job the number before it, if that has changed enough. */
  report(): void {
    this.#jobs.forEach((job, ahead) => {
      if (job.reportedAhead !== undefined && !isNews(ahead, job.reportedAhead)) return;
      job.reportedAhead = ahead;
      job.emit({ type: "queued", ahead });
    });
  }
}

/**
 * Returns true for changes near the front, and for substantial progress far back in a long queue.
 */
function isNews(ahead: number, reported: number): boolean {
  return ahead !== reported && (ahead < 10 || ahead <= reported * 0.9);
}

interface Waiting {
  readonly request: Pick<GenerationRequest, "client">;
}

/**
 * Inserts a request before those whose clients have had, or will have had, more turns by then;
 * otherwise at the end. Requests of one client stay in order.
 *
 * @param running requests that are being served
 */
export function joinQueue<Job extends Waiting>(
  queue: Job[],
  joining: Job,
  running: readonly Waiting[],
): void {
  const turns = new Map<string | undefined, number>();
  /** Returns the number of turns that the request's client has before this one. */
  const takeTurn = ({ request: { client } }: Waiting) => {
    const before = turns.get(client) ?? 0;
    turns.set(client, before + 1);
    return before;
  };
  for (const job of running) takeTurn(job);
  const before = queue.map(takeTurn);
  const own = takeTurn(joining);
  const place = before.findIndex((turn) => turn > own);
  queue.splice(place < 0 ? queue.length : place, 0, joining);
}
