// Locks between processes, which the system releases when a process ends, even a killed one.
// Each lock is an empty SQLite file in a transaction: SQLite takes the system's own file locks,
// shared and exclusive, on every platform, and it comes with Node.
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { sqlite } from "../../base/without-warnings.ts";
import { sqliteCode } from "./disk-errors.ts";

export interface LockOptions {
  /** A shared lock may have many holders, and excludes an exclusive one. Defaults to false. */
  isShared?: boolean;
  signal?: AbortSignal | undefined;
}

const firstPauseMs = 5;
const longestPauseMs = 100;
const busyCode = 5;
const dayMs = 24 * 3600_000;

export class LockFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Waits for the lock, does the work, and releases the lock. Not re-entrant. */
  async withLock<T>(name: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
    const { isShared = false, signal } = options;
    let pauseMs = firstPauseMs;
    while (true) {
      signal?.throwIfAborted();
      const lock = this.#take(name, isShared);
      if (lock !== undefined) return await doneUnder(lock, work);
      await wait(pauseMs, undefined, { signal });
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  /** Runs the work if the lock is free, otherwise does nothing. */
  async tryWithLock<T>(name: string, work: () => Promise<T>): Promise<{ value: T } | undefined> {
    const lock = this.#take(name, false);
    return lock === undefined ? undefined : { value: await doneUnder(lock, work) };
  }

  /**
   * Removes files of free locks, but only old ones. `Lock.take` relies on that: a file that appears
   * while another process opens it stays.
   */
  removeOld(): void {
    const now = Date.now();
    for (const name of readdirSync(this.#folder)) {
      const file = path.join(this.#folder, name);
      const facts = statSync(file, { throwIfNoEntry: false });
      if (facts === undefined || now - facts.mtimeMs < dayMs) continue;
      const lock = Lock.take(file, false);
      if (lock === undefined) continue;
      rmSync(file, { force: true });
      lock.release();
    }
  }

  #take(name: string, isShared: boolean): Lock | undefined {
    mkdirSync(this.#folder, { recursive: true });
    // Lock names may hold any character, file names may not.
    const digits = createHash("sha256").update(name).digest("hex").slice(0, 32);
    return Lock.take(path.join(this.#folder, `${digits}.lock`), isShared);
  }
}

/**
 * Keeps locks from being garbage-collected, and so released, while their work waits for an
 * unreferenced object.
 */
const held = new Set<Lock>();

async function doneUnder<T>(lock: Lock, work: () => Promise<T>): Promise<T> {
  held.add(lock);
  try {
    return await work();
  } finally {
    held.delete(lock);
    lock.release();
  }
}

// Only SQLite ever opens the file: POSIX drops a process's locks on a file when the process closes
// any descriptor of it, and SQLite delays such closes.
class Lock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  static take(file: string, isShared: boolean): Lock | undefined {
    const before = inodeOf(file);
    const { DatabaseSync } = sqlite();
    const database = new DatabaseSync(file);
    try {
      // For a read-only file SQLite silently takes a shared lock instead.
      if (!isShared) accessSync(file, constants.W_OK);
      // No journal is needed on disk: nothing is ever written.
      database.exec("PRAGMA journal_mode = MEMORY");
      // Reading takes the shared lock, which lasts as long as the transaction.
      database.exec(isShared ? "BEGIN; SELECT count(*) FROM sqlite_schema" : "BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      if (sqliteCode(error) === busyCode) return undefined;
      throw error;
    }
    // `removeOld` may have removed the file while it was being opened: then this is no lock.
    if (before === undefined || before === inodeOf(file)) return new Lock(database);
    database.close();
    return undefined;
  }

  release(): void {
    this.#database.close();
  }
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}
