// Back-off: a revision's failures in a row, and the delay before its next replica starts.
import type { ReplicaExit } from "../engines/engine.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { ControlContext } from "./control-context.ts";

const longestMs = 60_000;
const spread = 0.2;

/** Failed starts in a row after which callers get an error instead of waiting. */
export const failuresUntilFailed = 3;

/**
 * Time ready after which a replica counts as stable, so that its exit starts a new row of failures.
 */
export const stableMs = 10_000;

/** Exit reasons that a retry would only repeat. */
const lasting: ReadonlySet<string> = new Set([
  "import_error",
  "missing_executable",
  "returned",
  "script_error",
  "script_missing",
  "startup_timeout",
  "syntax_error",
  "target_missing",
  "usage",
]);

export function isLasting(reason: string): boolean {
  return lasting.has(reason);
}

/**
 * Returns 1, 2, 4 … 60 s, each ± 20 %, so that replicas do not all start at once.
 *
 * @param failures in a row, including this one; 1 or more
 * @param random 0..1
 */
export function backOffMs(failures: number, random: number): number {
  const plain = Math.min(longestMs, 1000 * 2 ** Math.min(failures - 1, 16));
  return Math.round(plain * (1 - spread + 2 * spread * random));
}

/** Returns the delay for replicas that were ready: the first one to fail is replaced at once. */
function backOffOfServingMs(failures: number, random: number): number {
  return failures <= 1 ? 0 : backOffMs(failures - 1, random);
}

/**
 * Returns the time left until `notBefore`. A time beyond the longest delay was written before the
 * clock was set back, and counts as over.
 *
 * @param notBefore milliseconds since 1970, as is `now`
 */
export function backOffLeftMs(notBefore: number, now: number): number {
  const leftMs = notBefore - now;
  return leftMs > longestMs * (1 + spread) ? 0 : Math.max(0, leftMs);
}

const noFailures = { failures: 0, notBefore: 0, reason: undefined };

/** Counts the failures of each revision in its record. */
export class Failures {
  readonly #context: ControlContext;

  constructor(context: ControlContext) {
    this.#context = context;
  }

  /** Delays the next start after repeated exits before, or soon after, the replica was ready. */
  noteCrash(record: ReplicaRecord, exit: ReplicaExit): void {
    const { store, clock, random, wake } = this.#context;
    const revision = store.revisions.find(record);
    if (revision === undefined) return;
    const failures = this.#isSound(record) ? 1 : revision.failures + 1;
    const wait = record.readyAt === undefined ? backOffMs : backOffOfServingMs;
    const delayMs = wait(failures, random());
    const notBefore = clock.wallMs() + delayMs;
    store.revisions.update(record, { failures, notBefore, reason: exit.sentence });
    if (delayMs > 0) wake(delayMs);
  }

  /** Resets the count when a replica has served long enough without another failing. */
  noteServing(record: ReplicaRecord): void {
    const { store } = this.#context;
    const revision = store.revisions.find(record);
    if (revision === undefined || revision.failures === 0) return;
    if (this.#isSound(record, revision.notBefore)) store.revisions.update(record, noFailures);
  }

  /** Resets the count when a replica that was ready is stopped on purpose. */
  noteStopped(record: ReplicaRecord): void {
    const { store, clock } = this.#context;
    const revision = store.revisions.find(record);
    if (revision === undefined || revision.failures === 0 || record.readyAt === undefined) return;
    if (revision.notBefore <= clock.wallMs()) store.revisions.update(record, noFailures);
  }

  /** @param since earliest start after the last crash; milliseconds since 1970 */
  #isSound({ readyAt }: ReplicaRecord, since = 0): boolean {
    const { clock, stableMs } = this.#context;
    return readyAt !== undefined && clock.wallMs() - Math.max(readyAt, since) >= stableMs;
  }
}
