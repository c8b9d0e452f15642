// Revision records: frozen, except for their state and the results of starting them.
import type { Clock } from "../../base/clock.ts";
import { quoteShort } from "../../base/display-text.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { ProductError } from "../../base/product-error.ts";
import type { RevisionState } from "../admin/documents.ts";
import type { AppConfig } from "../app-config.ts";
import { cloudErrors } from "../errors.ts";
import type { Inspection } from "../inspection/inspection.ts";
import { apiOfScript, type ServedApi } from "../served-api.ts";
import { type AppKey, appName, type RevisionKey } from "./app-records.ts";
import { numberOf, type Row, type StateDatabase, textOf } from "./database.ts";

export interface RevisionRecord extends RevisionKey {
  number: number;
  state: RevisionState;
  reason: string | undefined;
  /** Code of the error that kept it from becoming active. */
  failureCode: string | undefined;
  /** Hash of bundle, script, configuration and secrets; the same hash means "no change". */
  contentHash: string;
  /** SHA-256 of the bundle, and the name of its folder. */
  bundle: string;
  script: string;
  target: string;
  config: AppConfig;
  inspection: Inspection;
  /** As its server answered; before that, as the script suggests. */
  api: ServedApi;
  message: string | undefined;
  annotations: Record<string, string>;
  /** Id of the API key used, if any. */
  createdBy: string | undefined;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Time of the last activation; undefined: never. */
  activatedAt: number | undefined;
  isPinned: boolean;
  /** Number of replicas in a row that exited too early. */
  failures: number;
  /** Earliest start of the next replica; milliseconds since 1970. */
  notBefore: number;
}

export type NewRevision = Pick<
  RevisionRecord,
  | "organisation"
  | "app"
  | "contentHash"
  | "bundle"
  | "script"
  | "target"
  | "config"
  | "inspection"
  | "message"
  | "annotations"
  | "createdBy"
> & { number: number };

export class RevisionRecords {
  readonly #database: StateDatabase;
  readonly #clock: Clock;

  constructor(database: StateDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Newest first. */
  list({ organisation, app }: AppKey): RevisionRecord[] {
    return this.#database
      .all("SELECT * FROM revisions WHERE organisation = ? AND app = ? ORDER BY number DESC", [
        organisation,
        app,
      ])
      .map(toRecord);
  }

  find({ organisation, app, revision }: RevisionKey): RevisionRecord | undefined {
    const row = this.#database.get(
      "SELECT * FROM revisions WHERE organisation = ? AND app = ? AND revision = ?",
      [organisation, app, revision],
    );
    return row === undefined ? undefined : toRecord(row);
  }

  /**
   * @param key `r0007-1a2b3c4d`, or a short form: `r0007`, `r7`, `7`
   * @throws ProductError `CLOUD_REVISION_UNKNOWN`
   */
  get(key: RevisionKey): RevisionRecord {
    const exact = this.find(key);
    if (exact !== undefined) return exact;
    const typed = /^r?0*(\d+)$/.exec(key.revision)?.[1];
    const all = this.list(key);
    const found = all.find((record) => String(record.number) === typed);
    if (found !== undefined) return found;
    const names = all.flatMap(({ revision, number }) => [revision, `r${number}`]);
    const meant = nearestName(key.revision, names);
    throw new ProductError(cloudErrors.revisionUnknown, {
      message: `App ${appName(key)} has no revision ${quoteShort(key.revision)}.`,
      hint: `${meant === undefined ? "" : `Did you mean ${meant}? `}Run \`deployctl apps list-rev ${key.app}\` to see its revisions.`,
    });
  }

  create(revision: NewRevision): RevisionRecord {
    const { organisation, app, number, contentHash } = revision;
    const name = `r${String(number).padStart(4, "0")}-${contentHash.slice(0, 8)}`;
    this.#database.run(
      `INSERT INTO revisions (organisation, app, revision, number, state, content_hash, bundle, script,
           target, config, inspection, message, annotations, created_by, created_at, is_pinned, failures,
           not_before)
         VALUES (?, ?, ?, ?, 'UPLOADED', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)`,
      [
        organisation,
        app,
        name,
        number,
        contentHash,
        revision.bundle,
        revision.script,
        revision.target,
        JSON.stringify(revision.config),
        JSON.stringify(revision.inspection),
        revision.message ?? null,
        JSON.stringify(revision.annotations),
        revision.createdBy ?? null,
        this.#clock.wallMs(),
      ],
    );
    return this.get({ organisation, app, revision: name });
  }

  update(
    key: RevisionKey,
    change: Partial<
      Pick<
        RevisionRecord,
        | "state"
        | "reason"
        | "failureCode"
        | "api"
        | "activatedAt"
        | "isPinned"
        | "failures"
        | "notBefore"
      >
    >,
  ): void {
    const next = { ...this.get(key), ...change };
    this.#database.run(
      `UPDATE revisions SET state = ?, reason = ?, failure_code = ?, api = ?, activated_at = ?, is_pinned = ?,
           failures = ?, not_before = ? WHERE organisation = ? AND app = ? AND revision = ?`,
      [
        next.state,
        next.reason ?? null,
        next.failureCode ?? null,
        JSON.stringify(next.api),
        next.activatedAt ?? null,
        next.isPinned ? 1 : 0,
        next.failures,
        next.notBefore,
        key.organisation,
        key.app,
        key.revision,
      ],
    );
  }

  remove({ organisation, app, revision }: RevisionKey): void {
    this.#database.run(
      "DELETE FROM revisions WHERE organisation = ? AND app = ? AND revision = ?",
      [organisation, app, revision],
    );
  }

  /** Returns bundles that a revision still uses. */
  bundles(): Set<string> {
    const rows = this.#database.all(
      "SELECT DISTINCT bundle FROM revisions WHERE state <> 'RETIRED'",
    );
    return new Set(rows.map((row) => String(row.bundle)));
  }
}

function toRecord(row: Row): RevisionRecord {
  const inspection = JSON.parse(String(row.inspection)) as Inspection;
  const config = JSON.parse(String(row.config)) as AppConfig;
  const api = textOf(row.api);
  return {
    organisation: String(row.organisation),
    app: String(row.app),
    revision: String(row.revision),
    number: Number(row.number),
    // Only `create` and `update` write these columns.
    state: String(row.state) as RevisionState,
    reason: textOf(row.reason),
    failureCode: textOf(row.failure_code),
    contentHash: String(row.content_hash),
    bundle: String(row.bundle),
    script: String(row.script),
    target: String(row.target),
    config,
    inspection,
    api: api === undefined ? apiOfScript({ inspection, config }) : (JSON.parse(api) as ServedApi),
    message: textOf(row.message),
    annotations: JSON.parse(String(row.annotations)) as Record<string, string>,
    createdBy: textOf(row.created_by),
    createdAt: Number(row.created_at),
    activatedAt: numberOf(row.activated_at),
    isPinned: row.is_pinned === 1,
    failures: Number(row.failures),
    notBefore: Number(row.not_before),
  };
}
