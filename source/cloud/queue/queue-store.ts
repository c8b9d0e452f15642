// Stored requests and results of the queue, in queue.db: on disk when a call returns, readable by its user
// alone.
import path from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import type { AppKey } from "../state/app-records.ts";
import { numberOf, type Row, StateDatabase, textOf } from "../state/database.ts";
import type { Submission } from "./queue-command.ts";
import { queueMigrations } from "./queue-schema.ts";

/** `sent` to the gateway and not known to be with a replica; `running` on a replica. */
export type RequestState = "waiting" | "sent" | "running" | "done";

export interface QueuedRequest extends AppKey {
  seq: number;
  id: string;
  caller: string;
  submission: Submission;
  digest: string;
  state: RequestState;
  /** Gateway process that it was sent to. */
  gateway: string | undefined;
  /** Number of times that a replica has got it, or may have. */
  attempts: number;
  startBy: number;
  replica: string | undefined;
  revision: string | undefined;
  submittedAt: number;
  startedAt: number | undefined;
  endedAt: number | undefined;
  expiresAt: number | undefined;
  status: number | undefined;
  errorType: string | undefined;
  error: string | undefined;
  /** Name, value, name, value. */
  resultHeaders: readonly string[];
  requestBytes: number;
  resultBytes: number;
  webhookState: "pending" | "delivered" | "failed" | undefined;
  webhookAttempts: number;
  webhookAt: number | undefined;
  webhookFault: string | undefined;
}

export interface NewRequest extends AppKey {
  id: string;
  caller: string;
  submission: Submission;
  digest: string;
  startBy: number;
  body: Buffer;
}

export interface Ending {
  status: number;
  headers: readonly string[];
  body: Buffer;
  errorType: string | undefined;
  error: string | undefined;
  expiresAt: number;
}

export class QueueStore {
  readonly #database: StateDatabase;
  readonly #clock: Clock;
  /** Bytes of all stored bodies. */
  totalBytes = 0;

  private constructor(database: StateDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#countBytes();
  }

  /**
   * Opens or creates queue.db. A damaged one is moved away and replaced by an empty one, since apps must
   * not go down with their queue.
   *
   * @throws ProductError `CLOUD_STATE_UNUSABLE`, `CLOUD_STATE_NEWER`, `CLOUD_ALREADY_RUNNING`
   */
  static open(stateFolder: string, log: (text: string) => void, clock = systemClock): QueueStore {
    const file = path.join(stateFolder, "queue.db");
    const options = { clock, migrations: queueMigrations, mayStartEmpty: true };
    let database: StateDatabase;
    try {
      database = StateDatabase.open(file, options);
    } catch (error) {
      const isDamaged =
        error instanceof ProductError && error.code === cloudErrors.stateCorrupt.code;
      if (!isDamaged) throw error;
      log(`The queue's database ${file} was damaged and moved away; the queue starts empty.`);
      database = StateDatabase.open(file, options);
    }
    shrinkOnDelete(database);
    return new QueueStore(database, clock);
  }

  close(): void {
    this.#database.close();
  }

  find(id: string): QueuedRequest | undefined {
    return readRow(this.#database.get("SELECT * FROM requests WHERE id = ?", [id]));
  }

  findRepeated(of: AppKey & { caller: string }, key: string): QueuedRequest | undefined {
    const { organisation, app, caller } = of;
    return readRow(
      this.#database.get(
        "SELECT * FROM requests WHERE organisation = ? AND app = ? AND caller = ? AND idempotency_key = ?",
        [organisation, app, caller, key],
      ),
    );
  }

  add(request: NewRequest): void {
    const { id, organisation, app, caller, submission, digest, startBy, body } = request;
    const now = this.#clock.wallMs();
    const hasWebhook = submission.webhook !== undefined;
    this.#database.transaction(() => {
      this.#database.run(
        `INSERT INTO requests (id, organisation, app, caller, submission, idempotency_key, digest,
          priority, state, attempts, not_before, start_by, submitted_at, request_bytes, result_bytes,
          webhook, webhook_attempts) VALUES (?,?,?,?,?,?,?,?,'waiting',0,0,?,?,?,0,?,0)`,
        [
          ...[id, organisation, app, caller, JSON.stringify(submission)],
          ...[submission.idempotencyKey ?? null, digest, submission.isLowPriority ? 1 : 0],
          ...[startBy, now, body.length, hasWebhook ? String(submission.webhook) : null],
        ],
      );
      this.#database.run("INSERT INTO bodies (id, kind, body) VALUES (?,'request',?)", [id, body]);
    });
    this.totalBytes += body.length;
  }

  body(id: string, kind: "request" | "result"): Buffer {
    const row = this.#database.get("SELECT body FROM bodies WHERE id = ? AND kind = ?", [id, kind]);
    return row?.body instanceof Uint8Array ? Buffer.from(row.body) : Buffer.alloc(0);
  }

  /** Returns the next request of an app that may be sent. */
  next({ organisation, app }: AppKey): QueuedRequest | undefined {
    return readRow(
      this.#database.get(
        `SELECT * FROM requests WHERE organisation = ? AND app = ? AND state <> 'done'
          AND state = 'waiting' AND not_before <= ? ORDER BY priority, seq LIMIT 1`,
        [organisation, app, this.#clock.wallMs()],
      ),
    );
  }

  /** Number of requests that start before this one. */
  position({ organisation, app, submission, seq }: QueuedRequest): number {
    const row = this.#database.get(
      `SELECT count(*) AS count FROM requests WHERE organisation = ? AND app = ?
        AND state <> 'done' AND state <> 'running' AND (priority, seq) < (?, ?)`,
      [organisation, app, submission.isLowPriority ? 1 : 0, seq],
    );
    return Number(row?.count);
  }

  /** Apps with requests that have not ended. */
  openApps(): (AppKey & { waiting: number; sent: number; running: number; oldestAt: number })[] {
    return this.#database
      .all(
        `SELECT organisation, app, sum(state = 'waiting') AS waiting, sum(state = 'sent') AS sent,
          sum(state = 'running') AS running,
          min(CASE state WHEN 'waiting' THEN submitted_at END) AS oldest
          FROM requests WHERE state <> 'done' GROUP BY organisation, app`,
      )
      .map((row) => ({
        organisation: String(row.organisation),
        app: String(row.app),
        waiting: Number(row.waiting),
        sent: Number(row.sent),
        running: Number(row.running),
        oldestAt: numberOf(row.oldest) ?? 0,
      }));
  }

  /** Requests that were sent to a gateway and have not ended. */
  sent(): QueuedRequest[] {
    const rows = this.#database.all(
      "SELECT * FROM requests WHERE state <> 'done' AND state <> 'waiting' ORDER BY seq",
    );
    return rows.flatMap((row) => readRow(row) ?? []);
  }

  /** Newest first; of one app, or all. */
  list(of: Partial<AppKey>, limit: number): QueuedRequest[] {
    const { organisation = null, app = null } = of;
    return this.#database
      .all(
        `SELECT * FROM requests WHERE (? IS NULL OR organisation = ?) AND (? IS NULL OR app = ?)
          ORDER BY seq DESC LIMIT ?`,
        [organisation, organisation, app, app, limit],
      )
      .flatMap((row) => readRow(row) ?? []);
  }

  markSent(id: string, gateway: string): void {
    this.#database.run("UPDATE requests SET state = 'sent', gateway = ? WHERE id = ?", [
      gateway,
      id,
    ]);
  }

  markRunning(id: string, { replica, revision }: { replica: string; revision: string }): void {
    this.#database.run(
      `UPDATE requests SET state = 'running', replica = ?, revision = ?, started_at = ?,
        attempts = attempts + 1 WHERE id = ? AND state <> 'done' AND state <> 'running'`,
      [replica, revision, this.#clock.wallMs(), id],
    );
  }

  putBack(id: string, { notBefore, attempts }: { notBefore: number; attempts: number }): void {
    this.#database.run(
      `UPDATE requests SET attempts = ?, state = 'waiting', not_before = ?, gateway = NULL,
        replica = NULL, revision = NULL, started_at = NULL WHERE id = ? AND state <> 'done'`,
      [attempts, notBefore, id],
    );
  }

  /** Number of an app's requests that have not ended. */
  openCount({ organisation, app }: AppKey): number {
    const row = this.#database.get(
      "SELECT count(*) AS count FROM requests WHERE organisation = ? AND app = ? AND state <> 'done'",
      [organisation, app],
    );
    return Number(row?.count);
  }

  /** Requests of an app or a key that have not ended, oldest first. */
  open(of: Partial<AppKey> & { keyId?: string }): QueuedRequest[] {
    const { organisation = null, app = null, keyId = null } = of;
    return this.#database
      .all(
        `SELECT * FROM requests WHERE state <> 'done' AND (? IS NULL OR organisation = ?)
          AND (? IS NULL OR app = ?) AND (? IS NULL OR submission ->> 'keyId' = ?) ORDER BY seq`,
        [organisation, organisation, app, app, keyId, keyId],
      )
      .flatMap((row) => readRow(row) ?? []);
  }

  /** Stores the result and deletes the request's body. @returns false if it had already ended */
  finish(id: string, ending: Ending): boolean {
    const { status, headers, body, errorType, error, expiresAt } = ending;
    const now = this.#clock.wallMs();
    const freedBytes = this.find(id)?.requestBytes ?? 0;
    const hasEnded = this.#database.transaction(() => {
      const changed = this.#database.run(
        `UPDATE requests SET state = 'done', status = ?, result_headers = ?, error_type = ?, error = ?,
          ended_at = ?, expires_at = ?, result_bytes = ?,
          webhook_state = CASE WHEN webhook IS NULL THEN NULL ELSE 'pending' END, webhook_at = ?
          WHERE id = ? AND state <> 'done'`,
        [
          ...[status, JSON.stringify(headers), errorType ?? null, error ?? null],
          ...[now, expiresAt, body.length, now, id],
        ],
      );
      if (changed === 0) return false;
      this.#database.run("DELETE FROM bodies WHERE id = ?", [id]);
      this.#database.run("INSERT INTO bodies (id, kind, body) VALUES (?,'result',?)", [id, body]);
      return true;
    });
    if (hasEnded) this.totalBytes += body.length - freedBytes;
    return hasEnded;
  }

  /** Waiting requests whose time to start has passed. */
  late(): QueuedRequest[] {
    const now = this.#clock.wallMs();
    return this.#database
      .all("SELECT * FROM requests WHERE state = 'waiting' AND start_by <= ?", [now])
      .flatMap((row) => readRow(row) ?? []);
  }

  /** Requests with a webhook that is due. */
  toTell(limit: number): QueuedRequest[] {
    return this.#database
      .all(
        "SELECT * FROM requests WHERE webhook_state = 'pending' AND webhook_at <= ? ORDER BY webhook_at LIMIT ?",
        [this.#clock.wallMs(), limit],
      )
      .flatMap((row) => readRow(row) ?? []);
  }

  /** @param at time of the next attempt, for a pending one */
  noteWebhook(
    id: string,
    told: { state: "pending" | "delivered" | "failed"; at?: number; fault?: string },
  ): void {
    this.#database.run(
      `UPDATE requests SET webhook_state = ?, webhook_at = ?, webhook_fault = ?,
        webhook_attempts = webhook_attempts + 1 WHERE id = ?`,
      [told.state, told.at ?? null, told.fault ?? null, id],
    );
  }

  /** Time of the next request or webhook that is due later. */
  nextTime(): number | undefined {
    const row = this.#database.get(
      `SELECT min(at) AS at FROM (
        SELECT min(start_by) AS at FROM requests WHERE state = 'waiting'
        UNION ALL SELECT min(not_before) FROM requests WHERE state = 'waiting' AND not_before > ?
        UNION ALL SELECT min(webhook_at) FROM requests WHERE webhook_state = 'pending'
        UNION ALL SELECT min(expires_at) FROM requests WHERE state = 'done')`,
      [this.#clock.wallMs()],
    );
    return numberOf(row?.at);
  }

  /** Deletes expired results, and gives their room back to the file system. */
  prune(): void {
    const deleted = this.#database.run(
      "DELETE FROM requests WHERE state = 'done' AND expires_at <= ? AND coalesce(webhook_state, '') <> 'pending'",
      [this.#clock.wallMs()],
    );
    if (deleted > 0) this.#shrink();
  }

  /** Deletes all ended requests of an app. @returns their number */
  forget({ organisation, app }: AppKey): number {
    const deleted = this.#database.run(
      "DELETE FROM requests WHERE organisation = ? AND app = ? AND state = 'done'",
      [organisation, app],
    );
    if (deleted > 0) this.#shrink();
    return deleted;
  }

  #shrink(): void {
    this.#database.connection.exec("PRAGMA incremental_vacuum");
    this.#countBytes();
  }

  #countBytes(): void {
    const sum = "SELECT coalesce(sum(length(body)), 0) AS bytes FROM bodies";
    this.totalBytes = Number(this.#database.get(sum)?.bytes);
  }
}

/** Takes effect only before the first table is made, or by writing the database again. */
function shrinkOnDelete({ connection }: StateDatabase): void {
  const mode = connection.prepare("PRAGMA auto_vacuum").get()?.auto_vacuum;
  if (mode !== 2) connection.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
}

function readRow(row: Row | undefined): QueuedRequest | undefined {
  if (row === undefined) return undefined;
  return {
    seq: Number(row.seq),
    id: String(row.id),
    organisation: String(row.organisation),
    app: String(row.app),
    caller: String(row.caller),
    submission: JSON.parse(String(row.submission)),
    digest: String(row.digest),
    // Only these are written.
    state: String(row.state) as RequestState,
    gateway: textOf(row.gateway),
    attempts: Number(row.attempts),
    startBy: Number(row.start_by),
    replica: textOf(row.replica),
    revision: textOf(row.revision),
    submittedAt: Number(row.submitted_at),
    startedAt: numberOf(row.started_at),
    endedAt: numberOf(row.ended_at),
    expiresAt: numberOf(row.expires_at),
    status: numberOf(row.status),
    errorType: textOf(row.error_type),
    error: textOf(row.error),
    resultHeaders: JSON.parse(textOf(row.result_headers) ?? "[]"),
    requestBytes: Number(row.request_bytes),
    resultBytes: Number(row.result_bytes),
    webhookState: textOf(row.webhook_state) as QueuedRequest["webhookState"],
    webhookAttempts: Number(row.webhook_attempts),
    webhookAt: numberOf(row.webhook_at),
    webhookFault: textOf(row.webhook_fault),
  };
}
