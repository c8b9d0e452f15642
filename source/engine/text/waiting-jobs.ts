// The requests that wait for a slot, in the order in which they will get one.
import { setTimeout as sleep } from "node:timers/promises";
import { joinQueue } from "../join-queue.ts";
import type { Job } from "./job.ts";

export class WaitingJobs {
  #jobs: Job[] = [];

  get length(): number {
    return this.#jobs.length;
  }

  get first(): Job | undefined {
    return this.#jobs[0];
  }

  /** @param running those that have a slot: their clients have had their turn */
  join(job: Job, running: readonly Job[]): void {
    joinQueue(this.#jobs, job, running);
  }

  find(id: number): Job | undefined {
    return this.#jobs.find((job) => job.id === id);
  }

  remove(job: Job): void {
    this.#jobs = this.#jobs.filter((waiting) => waiting !== job);
  }

  /** @returns those that need not wait any longer */
  removeCancelled(): Job[] {
    const cancelled = this.#jobs.filter((job) => job.cancelled);
    if (cancelled.length > 0) this.#jobs = this.#jobs.filter((job) => !job.cancelled);
    return cancelled;
  }

  /**
   * Waits for others that come at the same moment, as far as that is worth it.
   *
   * @param worthMs how long the first one may wait, by what there is to do so far
   */
  async gather(worthMs: (waiting: readonly Job[]) => number): Promise<void> {
    const { first } = this;
    if (first === undefined) return;
    while (true) {
      const leftMs = worthMs(this.#jobs) - (performance.now() - first.arrived);
      // A timer's shortest time is a millisecond.
      if (leftMs < 0.5) return;
      await sleep(leftMs);
    }
  }

  /** Tells each how many are before it, where that is news. */
  report(): void {
    this.#jobs.forEach((job, ahead) => {
      if (job.reportedAhead !== undefined && !isNews(ahead, job.reportedAhead)) return;
      job.reportedAhead = ahead;
      job.emit({ type: "queued", ahead });
    });
  }
}

/** Far back in a long queue, only real progress is worth a message. */
function isNews(ahead: number, reported: number): boolean {
  return ahead !== reported && (ahead < 10 || ahead <= reported * 0.9);
}
