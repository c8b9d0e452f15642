// Usage by app and hour, summed in memory and stored in state.db every minute.
import { type Clock, systemClock } from "../../base/clock.ts";
import { describeError } from "../../base/product-error.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type { StateDatabase } from "../state/database.ts";
import {
  addFigures,
  addReplicaTime,
  addRequest,
  noUsage,
  type ReplicaTime,
  type UsageFigures,
} from "./usage-figures.ts";

export interface AppUsage {
  organisation: string;
  app: string;
  figures: UsageFigures;
}

interface HourOfApp extends AppUsage {
  /** Hours since 1970. */
  hour: number;
}

const hourMs = 3_600_000;
const writeEveryMs = 60_000;

export class UsageStore {
  readonly #database: StateDatabase;
  readonly #log: (text: string) => void;
  readonly #clock: Clock;
  readonly #unwritten = new Map<string, HourOfApp>();
  readonly #timer: NodeJS.Timeout;

  /**
   * @param log called when the database cannot be written; nothing is lost while the process runs
   */
  constructor(database: StateDatabase, log: (text: string) => void, clock: Clock = systemClock) {
    this.#database = database;
    this.#log = log;
    this.#clock = clock;
    this.#timer = setInterval(() => this.write(), writeEveryMs).unref();
  }

  /** Counts a request, unless it named no app or was not authorised. */
  addRequest(record: ExchangeRecord): void {
    const { organisation, app, errorType } = record;
    if (organisation === undefined || app === undefined) return;
    if (errorType?.startsWith("auth_") === true) return;
    addRequest(this.#hourOf(organisation, app), record);
  }

  /** @param gpus names of the GPUs that the replica holds */
  addReplicaTime(
    organisation: string,
    app: string,
    spent: { kind: ReplicaTime; ms: number; gpus: readonly string[] },
  ): void {
    addReplicaTime(this.#hourOf(organisation, app), spent.kind, spent.ms, spent.gpus);
  }

  /**
   * Returns totals by app since the start of the hour of `since`.
   *
   * @param since milliseconds since 1970
   */
  read(since: number, wanted: { organisation?: string; app?: string } = {}): AppUsage[] {
    this.write();
    const totals = new Map<string, AppUsage>();
    const rows = this.#database.all(
      "SELECT * FROM usage WHERE hour >= ? ORDER BY organisation, app, hour",
      [Math.floor(since / hourMs)],
    );
    for (const row of rows) {
      const organisation = String(row.organisation);
      const app = String(row.app);
      if (wanted.organisation !== undefined && wanted.organisation !== organisation) continue;
      if (wanted.app !== undefined && wanted.app !== app) continue;
      const name = `${organisation}/${app}`;
      const total = totals.get(name) ?? { organisation, app, figures: noUsage() };
      totals.set(name, total);
      addFigures(total.figures, readFigures(row.figures));
    }
    return [...totals.values()];
  }

  write(): void {
    const hours = [...this.#unwritten.values()];
    if (hours.length === 0) return;
    try {
      this.#database.transaction(() => {
        for (const hour of hours) this.#add(hour);
      });
      this.#unwritten.clear();
    } catch (error) {
      this.#log(`cannot store usage: ${describeError(error)}`);
    }
  }

  /** Call before the database is closed. */
  close(): void {
    clearInterval(this.#timer);
    this.write();
  }

  #add({ organisation, app, hour, figures }: HourOfApp): void {
    const found = this.#database.get(
      "SELECT figures FROM usage WHERE organisation = ? AND app = ? AND hour = ?",
      [organisation, app, hour],
    );
    const total = noUsage();
    if (found !== undefined) addFigures(total, readFigures(found.figures));
    addFigures(total, figures);
    this.#database.run(
      "INSERT OR REPLACE INTO usage (organisation, app, hour, figures) VALUES (?,?,?,?)",
      [organisation, app, hour, JSON.stringify(total)],
    );
  }

  #hourOf(organisation: string, app: string): UsageFigures {
    const hour = Math.floor(this.#clock.wallMs() / hourMs);
    const name = `${organisation}/${app}/${hour}`;
    const known = this.#unwritten.get(name);
    if (known !== undefined) return known.figures;
    const figures = noUsage();
    this.#unwritten.set(name, { organisation, app, hour, figures });
    return figures;
  }
}

/** Figures of an earlier version lack newer counts. */
function readFigures(value: unknown): UsageFigures {
  const document: Partial<UsageFigures> = JSON.parse(String(value));
  return { ...noUsage(), ...document };
}
