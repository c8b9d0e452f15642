// Usage by app and hour, summed in memory and stored in state.db every minute; that of a run is forgotten
// with its app.
import { type Clock, systemClock } from "../../base/clock.ts";
import { describeError } from "../../base/product-error.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";
import type { AppKey, AppRecord } from "../state/app-records.ts";
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
  /** Belongs to an app of `deployctl run`, and is never stored. */
  isRun: boolean;
}

export interface UsageStoreOptions {
  /** Called when the database cannot be written; nothing is lost while the process runs. */
  log: (text: string) => void;
  clock?: Clock;
  /** Returns the app as it is now; undefined for one that has left nothing behind. */
  findApp: (app: AppKey) => Pick<AppRecord, "isEphemeral"> | undefined;
}

const hourMs = 3_600_000;
const writeEveryMs = 60_000;

export class UsageStore {
  readonly #database: StateDatabase;
  readonly #log: (text: string) => void;
  readonly #clock: Clock;
  readonly #findApp: UsageStoreOptions["findApp"];
  readonly #unwritten = new Map<string, HourOfApp>();
  readonly #timer: NodeJS.Timeout;

  constructor(database: StateDatabase, { log, clock = systemClock, findApp }: UsageStoreOptions) {
    this.#database = database;
    this.#log = log;
    this.#clock = clock;
    this.#findApp = findApp;
    this.#timer = setInterval(() => this.write(), writeEveryMs).unref();
  }

  /** Counts a request, unless it named no app or was not authorised. */
  addRequest(record: ExchangeRecord): void {
    const { organisation, app, errorType } = record;
    if (organisation === undefined || app === undefined) return;
    if (errorType?.startsWith("auth_") === true) return;
    const figures = this.#figuresOf({ organisation, app });
    if (figures !== undefined) addRequest(figures, record);
  }

  /** @param gpus names of the GPUs that the replica holds */
  addReplicaTime(
    organisation: string,
    app: string,
    spent: { kind: ReplicaTime; ms: number; gpus: readonly string[] },
  ): void {
    const figures = this.#figuresOf({ organisation, app });
    if (figures !== undefined) addReplicaTime(figures, spent.kind, spent.ms, spent.gpus);
  }

  /**
   * Returns totals by app since the start of the hour of `since`.
   *
   * @param since milliseconds since 1970
   */
  read(since: number, wanted: { organisation?: string; app?: string } = {}): AppUsage[] {
    this.write();
    const totals = new Map<string, AppUsage>();
    const add = ({ organisation, app, figures }: AppUsage) => {
      if (wanted.organisation !== undefined && wanted.organisation !== organisation) return;
      if (wanted.app !== undefined && wanted.app !== app) return;
      const name = `${organisation}/${app}`;
      const total = totals.get(name) ?? { organisation, app, figures: noUsage() };
      totals.set(name, total);
      addFigures(total.figures, figures);
    };
    const firstHour = Math.floor(since / hourMs);
    const rows = this.#database.all(
      "SELECT * FROM usage WHERE hour >= ? ORDER BY organisation, app, hour",
      [firstHour],
    );
    for (const row of rows) {
      const { organisation, app, figures } = row;
      const of = { organisation: String(organisation), app: String(app) };
      add({ ...of, figures: readFigures(figures) });
    }
    for (const each of this.#unwritten.values()) {
      if (each.isRun && each.hour >= firstHour) add(each);
    }
    return [...totals.values()];
  }

  write(): void {
    for (const [name, hour] of this.#unwritten) {
      if (hour.isRun && this.#findApp(hour)?.isEphemeral !== true) this.#unwritten.delete(name);
    }
    const hours = [...this.#unwritten].filter(([, { isRun }]) => !isRun);
    if (hours.length === 0) return;
    try {
      this.#database.transaction(() => {
        for (const [, hour] of hours) this.#add(hour);
      });
      for (const [name] of hours) this.#unwritten.delete(name);
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

  /** Returns the figures of this hour; undefined for the rest of a run that has ended. */
  #figuresOf({ organisation, app }: AppKey): UsageFigures | undefined {
    const hour = Math.floor(this.#clock.wallMs() / hourMs);
    const name = `${organisation}/${app}/${hour}`;
    // Most requests are of an app that was just looked for.
    const lasting = this.#unwritten.get(name);
    if (lasting !== undefined) return lasting.figures;
    const found = this.#findApp({ organisation, app });
    if (found === undefined) return undefined;
    const { isEphemeral: isRun } = found;
    const place = isRun ? `${name}/run` : name;
    const figures = this.#unwritten.get(place)?.figures ?? noUsage();
    this.#unwritten.set(place, { organisation, app, hour, figures, isRun });
    return figures;
  }
}

/** Figures of an earlier version lack newer counts. */
function readFigures(value: unknown): UsageFigures {
  const document: Partial<UsageFigures> = JSON.parse(String(value));
  return { ...noUsage(), ...document };
}
