// Count of a revision's failures in a row, and the delay until the next start.
import type { ReplicaExit } from "../engines/engine.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import { backOffMs, backOffOfServingMs } from "./back-off.ts";
import type { ControlContext } from "./control-context.ts";

const none = { failures: 0, notBefore: 0, reason: undefined };

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
    if (this.#isSound(record, revision.notBefore)) store.revisions.update(record, none);
  }

  /** Resets the count when a replica that was ready is stopped on purpose. */
  noteStopped(record: ReplicaRecord): void {
    const { store, clock } = this.#context;
    const revision = store.revisions.find(record);
    if (revision === undefined || revision.failures === 0 || record.readyAt === undefined) return;
    if (revision.notBefore <= clock.wallMs()) store.revisions.update(record, none);
  }

  /** @param since earliest start after the last crash; milliseconds since 1970 */
  #isSound({ readyAt }: ReplicaRecord, since = 0): boolean {
    const { clock, stableMs } = this.#context;
    return readyAt !== undefined && clock.wallMs() - Math.max(readyAt, since) >= stableMs;
  }
}
