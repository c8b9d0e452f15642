// Looks again and again at what is desired and what is, one look at a time.
import { Complaints } from "./complaints.ts";

export interface ReconcilerOptions {
  /** Sees how replicas fare, and does all that follows. */
  lookAtAll: () => Promise<void>;
  /** Only what follows from one app's demand, named `organisation/app`. */
  lookAt: (app: string) => Promise<void>;
  log: (text: string) => void;
  /** Between two looks without a cause. */
  intervalMs: number;
}

/** Requests come by the thousand a second; each app's demand is looked at this often at most. */
const demandSpacingMs = 50;
/** How the log calls what fails. */
const subject = "what is desired cannot be brought about";

/** A failed look is told of and comes again: everything is found in the state itself. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #demanding = new Set<string>();
  readonly #lookedAt = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #interval: NodeJS.Timeout | undefined;
  #isAllDue = false;
  #running: Promise<void> | undefined;
  readonly #complaints: Complaints;
  #isClosed = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#complaints = new Complaints(options.log);
  }

  start(): void {
    this.#interval = setInterval(() => this.wake(), this.#options.intervalMs);
    this.wake();
  }

  /** Everything is looked at, now or after a while. */
  wake(delayMs = 0): void {
    if (this.#isClosed) return;
    if (delayMs > 0) {
      this.#later(delayMs, () => this.wake());
      return;
    }
    this.#isAllDue = true;
    this.#run();
  }

  /** An app's demand changed. */
  wakeFor(app: string): void {
    if (this.#isClosed || this.#demanding.has(app)) return;
    this.#demanding.add(app);
    const passedMs = performance.now() - (this.#lookedAt.get(app) ?? Number.NEGATIVE_INFINITY);
    if (passedMs >= demandSpacingMs) this.#run();
    else this.#later(demandSpacingMs - passedMs, () => this.#run());
  }

  /** Resolves when the look that runs, if any, is over; there is no other after it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#interval);
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#running;
  }

  #later(delayMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, delayMs);
    this.#timers.add(timer);
  }

  #run(): void {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      // Something came between the last look's end and this.
      if (this.#isDue()) this.#run();
    });
  }

  #isDue(): boolean {
    return !this.#isClosed && (this.#isAllDue || this.#demanding.size > 0);
  }

  async #work(): Promise<void> {
    while (this.#isDue()) {
      const apps = [...this.#demanding];
      this.#demanding.clear();
      const isAll = this.#isAllDue;
      this.#isAllDue = false;
      try {
        if (isAll) await this.#options.lookAtAll();
        else for (const app of apps) await this.#lookAt(app);
        this.#complaints.end(subject);
      } catch (error) {
        this.#complaints.tell(subject, error);
      }
    }
  }

  async #lookAt(app: string): Promise<void> {
    this.#lookedAt.set(app, performance.now());
    await this.#options.lookAt(app);
  }
}
