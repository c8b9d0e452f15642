// State database, state.db: one SQLite file owned by one control plane, with everything that must
// survive it.
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
} from "node:fs";
import path from "node:path";
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { type Clock, systemClock } from "../../base/clock.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { sqlite } from "../../base/without-warnings.ts";
import { cloudErrors } from "../errors.ts";
import { listBackups, newestBackup, pruneBackups, setAsidePrefix, writeBackup } from "./backups.ts";
import { type Migration, migrations } from "./migrations.ts";

export type Row = Record<string, SQLOutputValue>;

export interface StateDatabaseOptions {
  clock?: Clock;
  /** Defaults to those of state.db. */
  migrations?: readonly Migration[];
  /** Creates an empty file even where a damaged one was moved away. */
  mayStartEmpty?: boolean;
}

const busyTimeoutMs = 2000;
const dayMs = 86_400_000;

/** Returns the path inside a state folder. */
export function stateFile(stateFolder: string): string {
  return path.join(stateFolder, "state.db");
}

/**
 * Synchronous database. Holds SQLite's own lock from the first read until `close` or the end of the
 * process, so that a second control plane can never write the same file.
 */
export class StateDatabase {
  readonly file: string;
  readonly connection: DatabaseSync;
  readonly #clock: Clock;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;

  private constructor(file: string, connection: DatabaseSync, clock: Clock) {
    this.file = file;
    this.connection = connection;
    this.#clock = clock;
  }

  /**
   * Opens or creates the file and migrates it, after a backup.
   *
   * @throws ProductError `CLOUD_STATE_CORRUPT`, `CLOUD_STATE_NEWER`, `CLOUD_ALREADY_RUNNING`,
   * `CLOUD_STATE_UNUSABLE`
   */
  static open(file: string, options: StateDatabaseOptions = {}): StateDatabase {
    const clock = options.clock ?? systemClock;
    if (options.mayStartEmpty !== true) refuseEmptyRestart(file);
    const connection = connect(file);
    try {
      examine(connection);
      const database = new StateDatabase(file, connection, clock);
      database.#migrate(options.migrations ?? migrations);
      return database;
    } catch (error) {
      connection.close();
      throw explain(file, error, clock);
    }
  }

  get(sql: string, values: SQLInputValue[] = []): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, values: SQLInputValue[] = []): Row[] {
    return this.#statement(sql).all(...values);
  }

  /** @returns number of changed rows */
  run(sql: string, values: SQLInputValue[] = []): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /**
   * Runs work atomically; the result is on disk on return. Nested calls join the outer transaction.
   */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    this.connection.exec("BEGIN IMMEDIATE");
    this.#depth += 1;
    try {
      const result = work();
      this.connection.exec("COMMIT");
      return result;
    } catch (error) {
      rollBack(this.connection);
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  /** Writes a backup next to the file and removes all but the newest seven. @returns its path */
  backup(): string {
    const copy = writeBackup(this.connection, this.file, this.#clock.wallMs());
    pruneBackups(this.file);
    return copy;
  }

  /** Writes a backup when the newest one is older than a day. @returns its path, if written */
  backupWhenDue(): string | undefined {
    const now = this.#clock.wallMs();
    // Ignores backups from the future, made before the clock was corrected.
    const newest = listBackups(this.file).find(({ at }) => at <= now);
    if (newest !== undefined && newest.at > now - dayMs) return undefined;
    return this.backup();
  }

  /** Tries to write. @returns the reason for a failure, as a sentence; undefined on success */
  writeFault(): string | undefined {
    try {
      const version = readVersion(this.connection);
      this.transaction(() => this.connection.exec(`PRAGMA user_version = ${version}`));
      return undefined;
    } catch (error) {
      return `Cannot write to the state database ${this.file}: ${describeError(error)}.`;
    }
  }

  /** Runs SQLite's full check. @returns the problems found */
  check(): string[] {
    return problemsOf(this.connection, "integrity_check");
  }

  close(): void {
    this.#statements.clear();
    this.connection.close();
  }

  /** Compiles each statement once. */
  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #migrate(steps: readonly Migration[]): void {
    const version = readVersion(this.connection);
    if (version > steps.length) {
      throw new ProductError(cloudErrors.stateNewer, {
        message: `${this.file} was written by a newer version (schema ${version}; this version supports ${steps.length}).`,
        hint: "Update deployctl, or restore a backup with `deployctl state restore`.",
      });
    }
    if (version === steps.length) return;
    if (version > 0) this.backup();
    this.transaction(() => {
      for (const [index, { name, sql }] of steps.entries()) {
        if (index < version) continue;
        try {
          this.connection.exec(sql);
        } catch (cause) {
          throw new Error(`step ${index + 1} (${name}): ${describeError(cause)}`, { cause });
        }
      }
      this.connection.exec(`PRAGMA user_version = ${steps.length}`);
    });
  }
}

/** Reads a nullable column. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Reads a nullable column. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function connect(file: string): DatabaseSync {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    // SQLite creates its journal with the same mode.
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
    const { DatabaseSync } = sqlite();
    return new DatabaseSync(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

function rollBack(connection: DatabaseSync): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // On a full disk SQLite has rolled back itself, and the first error is the one to report:
    // https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
  }
}

/** Configures the connection and checks the whole file once. */
function examine(connection: DatabaseSync): void {
  connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  connection.exec("PRAGMA locking_mode = EXCLUSIVE");
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("PRAGMA synchronous = FULL");
  connection.exec("PRAGMA foreign_keys = ON");
  // The first write takes the lock, not the pragma.
  connection.exec("BEGIN IMMEDIATE; COMMIT");
  const [problem] = problemsOf(connection, "quick_check");
  if (problem !== undefined) throw new CorruptDatabase(problem);
}

class CorruptDatabase extends Error {}

function problemsOf(connection: DatabaseSync, check: "quick_check" | "integrity_check"): string[] {
  const rows = connection.prepare(`PRAGMA ${check}`).all();
  return rows.map((row) => String(row[check])).filter((text) => text !== "ok");
}

function readVersion(connection: DatabaseSync): number {
  return Number(connection.prepare("PRAGMA user_version").get()?.user_version);
}

/** Returns SQLite's primary result code: https://www.sqlite.org/rescode.html */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

const busyCodes = new Set([5, 6]);
/** Malformed, or not a database. */
const corruptCodes = new Set([11, 26]);

function explain(file: string, error: unknown, clock: Clock): unknown {
  if (error instanceof ProductError) return error;
  const code = resultCode(error);
  if (code !== undefined && busyCodes.has(code)) {
    return new ProductError(cloudErrors.alreadyRunning, {
      message: `${file} is in use by another control plane.`,
      hint: "Run `deployctl status` to see it, or `deployctl down` to stop it.",
      cause: error,
    });
  }
  if (error instanceof CorruptDatabase || (code !== undefined && corruptCodes.has(code))) {
    return corrupt(file, setAside(file, clock.wallMs()), error);
  }
  return unusable(file, error);
}

/** @returns the new path of the damaged file; its journal is renamed with it */
function setAside(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, "-");
  const target = `${setAsidePrefix(file)}${stamp}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix);
  }
  return target;
}

/**
 * Refuses to replace a damaged database by an empty one, which would treat every running replica as
 * an orphan.
 */
function refuseEmptyRestart(file: string): void {
  if (existsSync(file)) return;
  const folder = path.dirname(file);
  if (!existsSync(folder)) return;
  const prefix = path.basename(setAsidePrefix(file));
  const damaged = readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && !/-(wal|shm)$/.test(name))
    .sort()
    .at(-1);
  if (damaged !== undefined) throw corrupt(file, path.join(folder, damaged), undefined);
}

function corrupt(file: string, setAsideFile: string, cause: unknown): ProductError {
  const backup = newestBackup(file);
  return new ProductError(cloudErrors.stateCorrupt, {
    message: `The state database ${file} is damaged. It was moved to ${setAsideFile}.`,
    hint:
      backup === undefined
        ? "There is no backup. Run `deployctl state restore --empty` to start over."
        : `Restore the newest backup with \`deployctl state restore ${backup.file}\`.`,
    cause,
  });
}

function unusable(file: string, cause: unknown): ProductError {
  return new ProductError(cloudErrors.stateUnusable, {
    message: `Cannot use the state database ${file}: ${describeError(cause)}.`,
    hint: "Check the folder's permissions and free disk space.",
    cause,
  });
}
