// Counts of both revisions' answers since the shares of a split last changed. A new control plane continues
// from the stored counts.
import { describeError } from "../../base/product-error.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import { type AnswerFigures, addAnswer, noAnswers } from "../metrics/usage-figures.ts";
import { type AppKey, type AppRecord, appName } from "../state/app-records.ts";
import type { CloudStore } from "../state/cloud-store.ts";

/** Interval between two writes. A control plane that is killed loses the answers since the last one. */
const writeEveryMs = 5000;

interface Counted {
  app: AppKey;
  answers: Record<string, AnswerFigures>;
  isChanged: boolean;
}

export class SplitAnswers {
  readonly #store: CloudStore;
  readonly #log: (text: string) => void;
  /** By `organisation/app`; apps whose traffic is not split have none. */
  readonly #counted = new Map<string, Counted>();
  #writtenAt = performance.now();

  constructor(store: CloudStore, log: (text: string) => void) {
    this.#store = store;
    this.#log = log;
    for (const app of store.apps.list()) {
      if (app.traffic !== undefined) this.restart(app);
    }
  }

  /** Continues to count from the stored answers. */
  restart(app: AppRecord): void {
    const answers = structuredClone({ ...app.traffic?.answers });
    const key = { organisation: app.organisation, app: app.app };
    this.#counted.set(appName(app), { app: key, answers, isChanged: false });
  }

  forget(app: AppKey): void {
    this.#counted.delete(appName(app));
  }

  note(record: ExchangeRecord): void {
    const { organisation, app, revision } = record;
    if (organisation === undefined || app === undefined || revision === undefined) return;
    const counted = this.#counted.get(appName({ organisation, app }));
    if (counted === undefined) return;
    const answers = counted.answers[revision] ?? noAnswers();
    counted.answers[revision] = answers;
    addAnswer(answers, record);
    counted.isChanged = true;
  }

  of(app: AppKey, revision: string): AnswerFigures {
    return this.#counted.get(appName(app))?.answers[revision] ?? noAnswers();
  }

  /** Stores the answers once the interval is over. */
  writeWhenDue(): void {
    if (performance.now() - this.#writtenAt >= writeEveryMs) this.write();
  }

  write(): void {
    this.#writtenAt = performance.now();
    for (const counted of this.#counted.values()) {
      if (!counted.isChanged) continue;
      const { app, answers } = counted;
      try {
        const traffic = this.#store.apps.find(app)?.traffic;
        if (traffic !== undefined) this.#store.apps.noteAnswers(app, { ...traffic, answers });
        counted.isChanged = false;
      } catch (error) {
        this.#log(`cannot store the answers of ${appName(app)}: ${describeError(error)}`);
      }
    }
  }
}
