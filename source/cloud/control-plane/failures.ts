// How often replicas of a revision have ended by themselves in a row, and how long the next one waits.
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

  /** Those that end again and again, before they are ready or soon after, are waited with. */
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

  /** A replica that serves for a while, and no other that ends meanwhile, ends the row. */
  noteServing(record: ReplicaRecord): void {
    const { store } = this.#context;
    const revision = store.revisions.find(record);
    if (revision === undefined || revision.failures === 0) return;
    if (this.#isSound(record, revision.notBefore)) store.revisions.update(record, none);
  }

  /** One that went because it was told to ends it too, however short it served. */
  noteStopped(record: ReplicaRecord): void {
    const { store, clock } = this.#context;
    const revision = store.revisions.find(record);
    if (revision === undefined || revision.failures === 0 || record.readyAt === undefined) return;
    if (revision.notBefore <= clock.wallMs()) store.revisions.update(record, none);
  }

  /** @param since when the next one might start after the last crash; milliseconds since 1970 */
  #isSound({ readyAt }: ReplicaRecord, since = 0): boolean {
    const { clock, stableMs } = this.#context;
    return readyAt !== undefined && clock.wallMs() - Math.max(readyAt, since) >= stableMs;
  }
}
