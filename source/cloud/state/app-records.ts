// Desired state of apps: names, active revision, scale overrides, current rollout.
import type { Clock } from "../../base/clock.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { ProductError } from "../../base/product-error.ts";
import type { DeployStrategy, TrafficPlan } from "../admin/documents.ts";
import type { ScaleSettings } from "../app-config.ts";
import { cloudErrors } from "../errors.ts";
import type { AnswerFigures } from "../metrics/usage-figures.ts";
import { numberOf, type Row, type StateDatabase, textOf } from "./database.ts";
import type { EnvironmentRecords } from "./environment-records.ts";

export interface AppKey {
  organisation: string;
  app: string;
}

export interface RevisionKey extends AppKey {
  revision: string;
}

/** Deployment in progress, which is resumed after a crash. */
export interface Rollout {
  revision: string;
  strategy: DeployStrategy;
  /** True once old replicas have to make room: none is started until the rollout ends. */
  isHolding: boolean;
  smoke: string | undefined;
  /** Set if it ends with a split of the traffic, and not with the switch. */
  traffic?: TrafficPlan | undefined;
  since: number;
}

/** Split of an app's traffic between the active revision and a second one, the candidate. */
export interface TrafficSplit {
  /** The candidate. */
  revision: string;
  /** Its share, 1 to 99. */
  percent: number;
  /** Further shares, taken one after the other; undefined: it changes by command only. */
  plan: TrafficPlan | undefined;
  /** Start of the present share; milliseconds since 1970. */
  since: number;
  /** Answers since then, by revision. */
  answers: Readonly<Record<string, AnswerFigures>>;
}

export interface AppRecord extends AppKey {
  desired: "active" | "paused" | "deleting" | "deleted";
  activeRevision: string | undefined;
  rollout: Rollout | undefined;
  traffic: TrafficSplit | undefined;
  overrides: Partial<ScaleSettings>;
  isEphemeral: boolean;
  /** Number of the newest revision; numbers are never reused. */
  lastNumber: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
  deletedAt: number | undefined;
}

export function appName({ organisation, app }: AppKey): string {
  return `${organisation}/${app}`;
}

export class AppRecords {
  readonly #database: StateDatabase;
  readonly #environments: EnvironmentRecords;
  readonly #clock: Clock;

  constructor(database: StateDatabase, environments: EnvironmentRecords, clock: Clock) {
    this.#database = database;
    this.#environments = environments;
    this.#clock = clock;
  }

  /** Lists apps, including tombstones. */
  list(): AppRecord[] {
    return this.#database.all("SELECT * FROM apps ORDER BY organisation, app").map(toRecord);
  }

  find({ organisation, app }: AppKey): AppRecord | undefined {
    const row = this.#database.get("SELECT * FROM apps WHERE organisation = ? AND app = ?", [
      organisation,
      app,
    ]);
    return row === undefined ? undefined : toRecord(row);
  }

  /** @throws ProductError `CLOUD_APP_UNKNOWN`, also for a deleted app; `CLOUD_ENVIRONMENT_UNKNOWN` */
  get(key: AppKey): AppRecord {
    const record = this.find(key);
    if (record !== undefined && record.desired !== "deleted") return record;
    this.#environments.checkApp(key);
    const fault = record !== undefined ? "was deleted" : "does not exist";
    const nearest = this.#nearest(key);
    throw new ProductError(cloudErrors.appUnknown, {
      message: `App ${appName(key)} ${fault}.`,
      hint: `${nearest === undefined ? "" : `Did you mean ${nearest}? `}Run \`deployctl apps list\` to see all apps.`,
    });
  }

  /** Looks in the same organisation only: others are not told its names. */
  #nearest({ organisation, app }: AppKey): string | undefined {
    const others = this.list().filter(
      (other) => other.organisation === organisation && other.desired !== "deleted",
    );
    return nearestName(
      app,
      others.map(({ app: name }) => name),
    );
  }

  /** Creates the app or replaces its tombstone, continuing the old revision numbers. */
  create(key: AppKey, { isEphemeral }: { isEphemeral: boolean }): AppRecord {
    const now = this.#clock.wallMs();
    this.#database.run(
      `INSERT INTO apps (organisation, app, desired, overrides, is_ephemeral, last_number, created_at, updated_at)
         VALUES (?, ?, 'active', '{}', ?, 0, ?, ?)
         ON CONFLICT (organisation, app) DO UPDATE SET desired = 'active', active_revision = NULL,
           rollout = NULL, traffic = NULL, overrides = '{}', is_ephemeral = excluded.is_ephemeral,
           created_at = excluded.created_at, updated_at = excluded.updated_at, deleted_at = NULL`,
      [key.organisation, key.app, isEphemeral ? 1 : 0, now, now],
    );
    return this.get(key);
  }

  update(
    key: AppKey,
    change: Partial<
      Pick<
        AppRecord,
        | "desired"
        | "activeRevision"
        | "rollout"
        | "traffic"
        | "overrides"
        | "lastNumber"
        | "deletedAt"
      >
    >,
  ): void {
    const record = this.find(key);
    if (record === undefined) throw new Error(`no record of the app ${appName(key)}`);
    const next = { ...record, ...change };
    this.#database.run(
      `UPDATE apps SET desired = ?, active_revision = ?, rollout = ?, traffic = ?, overrides = ?,
           last_number = ?, deleted_at = ?, updated_at = ? WHERE organisation = ? AND app = ?`,
      [
        next.desired,
        next.activeRevision ?? null,
        next.rollout === undefined ? null : JSON.stringify(next.rollout),
        next.traffic === undefined ? null : JSON.stringify(next.traffic),
        JSON.stringify(next.overrides),
        next.lastNumber,
        next.deletedAt ?? null,
        this.#clock.wallMs(),
        key.organisation,
        key.app,
      ],
    );
  }

  /** Stores the answers to a split's requests; no change of the app. */
  noteAnswers({ organisation, app }: AppKey, traffic: TrafficSplit): void {
    this.#database.run("UPDATE apps SET traffic = ? WHERE organisation = ? AND app = ?", [
      JSON.stringify(traffic),
      organisation,
      app,
    ]);
  }

  /** Removes the app with its revisions and replicas. */
  remove({ organisation, app }: AppKey): void {
    this.#database.run("DELETE FROM apps WHERE organisation = ? AND app = ?", [organisation, app]);
  }
}

function toRecord(row: Row): AppRecord {
  return {
    organisation: String(row.organisation),
    app: String(row.app),
    // Only `update` and `create` write these columns.
    desired: String(row.desired) as AppRecord["desired"],
    activeRevision: textOf(row.active_revision),
    rollout: row.rollout === null ? undefined : (JSON.parse(String(row.rollout)) as Rollout),
    traffic: row.traffic === null ? undefined : (JSON.parse(String(row.traffic)) as TrafficSplit),
    overrides: JSON.parse(String(row.overrides)) as Partial<ScaleSettings>,
    isEphemeral: row.is_ephemeral === 1,
    lastNumber: Number(row.last_number),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    deletedAt: numberOf(row.deleted_at),
  };
}
