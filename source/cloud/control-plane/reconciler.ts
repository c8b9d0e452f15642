// Reconciliation loop: compares desired and actual state, one pass at a time.
import { RecurringErrors } from "./recurring-errors.ts";

export interface ReconcilerOptions {
  /** Observes all replicas and acts on the result. */
  reconcileAll: () => Promise<void>;
  /** Acts on one app's demand, named `organisation/app`. */
  reconcileApp: (app: string) => Promise<void>;
  log: (text: string) => void;
  /** Interval between passes without a trigger. */
  intervalMs: number;
}

/**
 * Minimum interval between two passes for one app's demand: thousands of requests may arrive per
 * second.
 */
const demandSpacingMs = 50;
/** Subject of failed passes in the log. */
const subject = "reconciliation failed";

/** Logs a failed pass and repeats it: everything is derived from the stored state. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #demanding = new Set<string>();
  readonly #reconciledAt = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #interval: NodeJS.Timeout | undefined;
  #isAllDue = false;
  #running: Promise<void> | undefined;
  readonly #recurringErrors: RecurringErrors;
  #isClosed = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#recurringErrors = new RecurringErrors(options.log);
  }

  start(): void {
    this.#interval = setInterval(() => this.wake(), this.#options.intervalMs);
    this.wake();
  }

  /** Triggers a full pass, at once or after a delay. */
  wake(delayMs = 0): void {
    if (this.#isClosed) return;
    if (delayMs > 0) {
      this.#later(delayMs, () => this.wake());
      return;
    }
    this.#isAllDue = true;
    this.#run();
  }

  /** Triggers a pass for one app whose demand changed. */
  wakeFor(app: string): void {
    if (this.#isClosed || this.#demanding.has(app)) return;
    this.#demanding.add(app);
    const passedMs = performance.now() - (this.#reconciledAt.get(app) ?? Number.NEGATIVE_INFINITY);
    if (passedMs >= demandSpacingMs) this.#run();
    else this.#later(demandSpacingMs - passedMs, () => this.#run());
  }

  /** Resolves when the running pass, if any, is over; no other follows. */
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
      // A trigger may arrive after the last check.
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
        if (isAll) await this.#options.reconcileAll();
        else for (const app of apps) await this.#reconcileApp(app);
        this.#recurringErrors.resolve(subject);
      } catch (error) {
        this.#recurringErrors.report(subject, error);
      }
    }
  }

  async #reconcileApp(app: string): Promise<void> {
    this.#reconciledAt.set(app, performance.now());
    await this.#options.reconcileApp(app);
  }
}
