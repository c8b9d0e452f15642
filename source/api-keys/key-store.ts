// The server's keys in an SQLite file, shared by commands and a running server.
import { timingSafeEqual } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { type Clock, systemClock } from "../base/clock.ts";
import { quoteShort } from "../base/display-text.ts";
import { describeError, ProductError } from "../base/product-error.ts";
import { sqlite } from "../base/without-warnings.ts";
import { keyErrors } from "./errors.ts";
import { type KeyRecord, type KeyRole, keyState } from "./key-record.ts";
import { digestSecret, drawToken, parseToken, readKeyId, serverKeyPrefix } from "./token.ts";

export interface NewKey {
  name: string;
  role: KeyRole;
  /** Milliseconds since 1970; undefined: never. */
  expiresAt: number | undefined;
}

const busyTimeoutMs = 2000;
const useResolutionMs = 60_000;
/** Compared if the key does not exist, so that both cases take the same time. */
const noDigest = digestSecret("");

interface OpenFile {
  database: DatabaseSync;
  find: StatementSync;
  inode: bigint;
}

const tableDefinition = `CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY, digest BLOB NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
  created INTEGER NOT NULL, expires INTEGER, used INTEGER, revoked INTEGER
) STRICT`;

/** All methods throw ProductError `KEYS_FILE_UNUSABLE` if the file cannot be used. */
export class KeyStore {
  readonly file: string;
  readonly #log: (text: string) => void;
  readonly #clock: Clock;
  #open: OpenFile | undefined;

  /**
   * @param file created with the first key
   * @param log receives a line if a key's last use cannot be saved
   */
  constructor(file: string, log: (text: string) => void, clock: Clock = systemClock) {
    this.file = file;
    this.#log = log;
    this.#clock = clock;
  }

  /** @returns the token, which is not stored */
  create({ name, role, expiresAt }: NewKey): { key: KeyRecord; token: string } {
    const { id, secret, token } = drawToken(serverKeyPrefix);
    const createdAt = this.#clock.wallMs();
    this.#guarded(() => {
      (this.#openIfThere() ?? this.#openAnew()).database
        .prepare("INSERT INTO keys (id, digest, name, role, created, expires) VALUES (?,?,?,?,?,?)")
        .run(id, digestSecret(secret), name, role, createdAt, expiresAt ?? null);
    });
    const key = { id, name, role, createdAt, expiresAt };
    return { key: { ...key, lastUsedAt: undefined, revokedAt: undefined }, token };
  }

  /** Oldest first. */
  list(): KeyRecord[] {
    return this.#guarded(() => {
      const open = this.#openIfThere();
      if (open === undefined) return [];
      return open.database.prepare("SELECT * FROM keys ORDER BY created, id").all().map(toRecord);
    });
  }

  /** True when at least one key is valid now. */
  hasActive(): boolean {
    return this.list().some((key) => keyState(key, this.#clock.wallMs()) === "active");
  }

  /**
   * Revokes a key permanently; a second call changes nothing. A running server refuses its next
   * request.
   *
   * @param idText the id, with or without the prefix, or the whole token
   * @throws ProductError `KEYS_UNKNOWN`
   */
  revoke(idText: string): KeyRecord {
    const id = readKeyId(serverKeyPrefix, idText);
    if (id !== undefined) {
      this.#guarded(() => {
        this.#openIfThere()
          ?.database.prepare("UPDATE keys SET revoked = coalesce(revoked, ?) WHERE id = ?")
          .run(this.#clock.wallMs(), id);
      });
    }
    const key = this.list().find((other) => other.id === id);
    if (key !== undefined) return key;
    throw new ProductError(keyErrors.unknown, {
      // The text may be a mistyped token: repeats no more than an id.
      message: `No key with the id ${quoteShort(id ?? idText, 12)} exists.`,
      hint: "Run modelctl keys list to see the ids.",
    });
  }

  /**
   * Returns the active key of a token. Nothing is cached: a look-up takes microseconds, and a key
   * revoked by another process must stop working.
   */
  verify(token: string): KeyRecord | undefined {
    const parts = parseToken(serverKeyPrefix, token);
    const row = this.#guarded(() => this.#openIfThere()?.find.get(parts?.id ?? ""));
    const digest = row?.digest instanceof Uint8Array ? row.digest : noDigest;
    const isSame = timingSafeEqual(digestSecret(parts?.secret ?? "-"), digest);
    if (row === undefined || !isSame) return undefined;
    const key = toRecord(row);
    const now = this.#clock.wallMs();
    if (keyState(key, now) !== "active") return undefined;
    this.#noteUse(key, now);
    return key;
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #noteUse(key: KeyRecord, now: number): void {
    const minute = now - (now % useResolutionMs);
    if (key.lastUsedAt !== undefined && key.lastUsedAt >= minute) return;
    try {
      this.#openIfThere()
        ?.database.prepare("UPDATE keys SET used = ? WHERE id = ?")
        .run(minute, key.id);
    } catch (error) {
      // A full or read-only disk must not lock anybody out.
      this.#log(`cannot save the last use of key ${key.id}: ${describeError(error)}`);
    }
  }

  /** Reopens a file that was replaced; undefined without a file. */
  #openIfThere(): OpenFile | undefined {
    const inode = statSync(this.file, { bigint: true, throwIfNoEntry: false })?.ino;
    if (this.#open?.inode !== inode) this.close();
    return this.#open ?? (inode === undefined ? undefined : this.#openAnew());
  }

  #openAnew(): OpenFile {
    mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
    // SQLite gives its journal the same permissions.
    closeSync(openSync(this.file, "a", 0o600));
    chmodSync(this.file, 0o600);
    const { DatabaseSync } = sqlite();
    const database = new DatabaseSync(this.file);
    try {
      // Node 22 ignores the option `timeout`.
      database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      database.exec(tableDefinition);
      const find = database.prepare("SELECT * FROM keys WHERE id = ?");
      const inode = statSync(this.file, { bigint: true }).ino;
      this.#open = { database, find, inode };
      return this.#open;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw new ProductError(keyErrors.fileUnusable, {
        message: `The key file ${this.file} cannot be used: ${describeError(cause)}.`,
        hint: "Check its permissions and free space. If it is damaged, remove it and create new keys.",
        cause,
      });
    }
  }
}

function toRecord(row: Record<string, SQLOutputValue>): KeyRecord {
  return {
    id: String(row.id),
    name: String(row.name),
    // An unknown role, perhaps of a later version, gets the fewest rights.
    role: row.role === "manage" ? "manage" : "infer",
    createdAt: Number(row.created),
    expiresAt: timeOf(row.expires),
    lastUsedAt: timeOf(row.used),
    revokedAt: timeOf(row.revoked),
  };
}

function timeOf(value: SQLOutputValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
