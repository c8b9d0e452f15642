// API keys of the gateway and the control plane: stored in state.db, verified in memory.

import { keyState } from "../../api-keys/key-record.ts";
import { drawToken, readKeyId } from "../../api-keys/token.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { quoteShort } from "../../base/display-text.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import {
  allAppsOf,
  checkEnvironment,
  checkName,
  environmentOf,
  mainEnvironment,
} from "../app-name.ts";
import { cloudErrors } from "../errors.ts";
import { numberOf, type Row, type StateDatabase, textOf } from "../state/database.ts";
import { type CloudKey, type KeyScope, type KeyVerifier, keyScopes } from "./cloud-key.ts";
import { loadPepper } from "./pepper.ts";
import { cloudKeyPrefix, readKeyToken, type StoredKey, TokenCheck } from "./token-check.ts";

export interface NewCloudKey {
  organisation: string;
  scope: KeyScope;
  /** Apps of the organisation that the key may call; empty: all. */
  apps?: readonly string[];
  description?: string;
  requestsPerMinute?: number | undefined;
  /** Milliseconds since 1970; undefined: never. */
  expiresAt?: number | undefined;
}

export interface CreatedKey {
  key: CloudKey;
  /** Shown once and never stored. */
  token: string;
}

export interface KeyStoreOptions {
  database: StateDatabase;
  /** See `pepper.ts`. */
  pepperFile: string;
  /** Called when the time of a key's last use cannot be stored. */
  log: (text: string) => void;
  clock?: Clock;
}

const minuteMs = 60_000;
const storeUsesEveryMs = 30_000;

/** Key store whose memory matches the database, as one process owns it. */
export class CloudKeyStore implements KeyVerifier {
  readonly #database: StateDatabase;
  readonly #check: TokenCheck;
  readonly #log: (text: string) => void;
  readonly #clock: Clock;
  readonly #stored = new Map<string, StoredKey>();
  /** Ids of keys whose last use is not in the database yet. */
  readonly #unstored = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new Set<() => void>();

  /**
   * @throws ProductError `CLOUD_PEPPER_UNUSABLE`, also when the pepper of existing keys is missing
   */
  constructor({ database, pepperFile, log, clock = systemClock }: KeyStoreOptions) {
    this.#database = database;
    this.#log = log;
    this.#clock = clock;
    for (const row of database.all("SELECT * FROM keys")) {
      const key = toKey(row);
      this.#stored.set(key.id, { key, digest: toDigest(row.digest) });
    }
    this.#check = new TokenCheck(loadPepper(pepperFile, this.#stored.size));
    this.#timer = setInterval(() => this.storeUses(), storeUsesEveryMs).unref();
  }

  /**
   * @throws ProductError `CLOUD_NAME_INVALID` for an invalid app or organisation name,
   * `CLOUD_REQUEST_INVALID` for an admin key limited to apps
   */
  create(wanted: NewCloudKey): CreatedKey {
    rejectLimitedAdmin(wanted);
    const { token, ...drawn } = this.#draw(wanted);
    this.#insert(drawn);
    this.#stored.set(drawn.key.id, drawn);
    this.#tell();
    return { key: drawn.key, token };
  }

  /** Oldest first. */
  list(organisation?: string): CloudKey[] {
    return [...this.#stored.values()]
      .map(({ key }) => key)
      .filter((key) => organisation === undefined || key.organisation === organisation)
      .sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
  }

  /**
   * @param idText the id; also accepts the prefix or the whole token
   * @throws ProductError `CLOUD_KEY_UNKNOWN`, also for a key of another organisation
   */
  find(idText: string, organisation?: string): CloudKey {
    return this.#find(idText, organisation).key;
  }

  /**
   * Revokes a key permanently; idempotent.
   *
   * @param idText the id; also accepts the prefix or the whole token
   * @throws ProductError `CLOUD_KEY_UNKNOWN`
   */
  revoke(idText: string): CloudKey {
    const stored = this.#find(idText);
    if (stored.key.revokedAt !== undefined) return stored.key;
    const key = { ...stored.key, revokedAt: this.#clock.wallMs() };
    this.#update(key);
    stored.key = key;
    this.#tell();
    return key;
  }

  /**
   * Replaces a key by a new one of the same kind and lifetime; the old one stays valid for a while.
   *
   * @throws ProductError `CLOUD_KEY_UNKNOWN`, `CLOUD_CONFLICT` for an expired or revoked key
   */
  rotate(idText: string, graceMs: number): CreatedKey {
    const stored = this.#find(idText);
    const old = stored.key;
    const now = this.#clock.wallMs();
    if (keyState(old, now) !== "active") {
      throw new ProductError(cloudErrors.conflict, {
        message: `Cannot rotate key ${old.id}: it is ${keyState(old, now)}.`,
        hint: "Create a new key with `deployctl keys create`.",
      });
    }
    const lifeMs = old.expiresAt === undefined ? undefined : old.expiresAt - old.createdAt;
    const expiresAt = lifeMs === undefined ? undefined : now + lifeMs;
    const { token, ...drawn } = this.#draw({ ...old, expiresAt });
    const replaced: CloudKey = {
      ...old,
      expiresAt: Math.min(now + graceMs, old.expiresAt ?? Number.POSITIVE_INFINITY),
      revokedAt: graceMs > 0 ? undefined : now,
      replacedBy: drawn.key.id,
    };
    this.#database.transaction(() => {
      this.#insert(drawn);
      this.#update(replaced);
    });
    this.#stored.set(drawn.key.id, drawn);
    stored.key = replaced;
    this.#tell();
    return { key: drawn.key, token };
  }

  verify(token: string): CloudKey | undefined {
    const now = this.#clock.wallMs();
    const stored = this.#check.find(this.#stored, token, now);
    if (stored !== undefined) this.noteUse(stored.key.id, now);
    return stored?.key;
  }

  /** Returns all keys with their digests, for a gateway in another process. */
  stored(): StoredKey[] {
    return [...this.#stored.values()];
  }

  /** Calls back after a key was created or changed. @returns stops it */
  onChange(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** @param usedAt milliseconds since 1970 */
  noteUse(id: string, usedAt: number): void {
    const stored = this.#stored.get(id);
    const minute = usedAt - (usedAt % minuteMs);
    if (stored === undefined || stored.key.lastUsedAt === minute) return;
    stored.key = { ...stored.key, lastUsedAt: minute };
    this.#unstored.add(id);
  }

  /** Stores when keys were last used, in batches so that no request waits for the disk. */
  storeUses(): void {
    if (this.#unstored.size === 0) return;
    const ids = [...this.#unstored];
    this.#unstored.clear();
    try {
      this.#database.transaction(() => {
        for (const id of ids) {
          const usedAt = this.#stored.get(id)?.key.lastUsedAt ?? null;
          this.#database.run("UPDATE keys SET used_at = ? WHERE id = ?", [usedAt, id]);
        }
      });
    } catch (error) {
      // A full disk must not lock callers out.
      this.#log(`cannot store the last use of ${ids.length} keys: ${describeError(error)}`);
    }
  }

  /** Call before the database is closed. */
  close(): void {
    clearInterval(this.#timer);
    this.storeUses();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #find(idText: string, organisation?: string): StoredKey {
    const id = readKeyToken(idText)?.id ?? readKeyId(cloudKeyPrefix, idText);
    const stored = this.#stored.get(id ?? "");
    const isInOrganisation =
      organisation === undefined || stored?.key.organisation === organisation;
    if (stored !== undefined && isInOrganisation) return stored;
    throw new ProductError(cloudErrors.keyUnknown, {
      // The input may be a mistyped token, so no more than an id is quoted.
      message: `No key has the id ${quoteShort(id ?? idText, 12)}.`,
      hint: "Run `deployctl keys list` to see all ids.",
    });
  }

  #draw(wanted: NewCloudKey): StoredKey & { token: string } {
    checkName("organisation", wanted.organisation);
    const { id, secret, token } = drawToken(cloudKeyPrefix);
    const key: CloudKey = {
      id,
      organisation: wanted.organisation,
      scope: wanted.scope,
      apps: (wanted.apps ?? []).map(checkEntry),
      description: wanted.description ?? "",
      requestsPerMinute: wanted.requestsPerMinute,
      createdAt: this.#clock.wallMs(),
      expiresAt: wanted.expiresAt,
      lastUsedAt: undefined,
      revokedAt: undefined,
      replacedBy: undefined,
    };
    return { key, digest: this.#check.digest(secret), token };
  }

  #insert({ key, digest }: StoredKey): void {
    this.#database.run(
      `INSERT INTO keys (id, organisation, digest, scope, apps, description,
          requests_per_minute, created_at, expires_at) VALUES (?,?,?,?,?,?,?,?,?)`,
      [
        key.id,
        key.organisation,
        digest,
        key.scope,
        JSON.stringify(key.apps),
        key.description,
        key.requestsPerMinute ?? null,
        key.createdAt,
        key.expiresAt ?? null,
      ],
    );
  }

  #update(key: CloudKey): void {
    this.#database.run(
      "UPDATE keys SET expires_at = ?, revoked_at = ?, replaced_by = ? WHERE id = ?",
      [key.expiresAt ?? null, key.revokedAt ?? null, key.replacedBy ?? null, key.id],
    );
  }
}

/** Rejects a list of apps for an admin key, as an admin can create any key. */
function rejectLimitedAdmin({ scope, apps = [] }: NewCloudKey): void {
  if (scope !== "admin" || apps.length === 0) return;
  throw new ProductError(cloudErrors.requestInvalid, {
    message: "An admin key gives access to everything and cannot be limited to apps.",
    hint: "Use the scope api for a key limited to some apps.",
    param: "apps",
  });
}

function toKey(row: Row): CloudKey {
  return {
    id: String(row.id),
    organisation: String(row.organisation),
    // Gives an unknown scope, perhaps of a later version, the least access.
    scope: keyScopes.find((scope) => scope === row.scope) ?? "api:read",
    apps: readApps(row.apps),
    description: String(row.description),
    requestsPerMinute: numberOf(row.requests_per_minute),
    createdAt: Number(row.created_at),
    expiresAt: numberOf(row.expires_at),
    lastUsedAt: numberOf(row.used_at),
    revokedAt: numberOf(row.revoked_at),
    replacedBy: textOf(row.replaced_by),
  };
}

function readApps(value: unknown): string[] {
  const apps: unknown = JSON.parse(String(value));
  return Array.isArray(apps) ? apps.map(String) : [];
}

function toDigest(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.alloc(32);
}

/** Checks an app, or all of an environment: `*--staging`. @throws ProductError `CLOUD_NAME_INVALID` */
function checkEntry(entry: string): string {
  const environment = environmentOf(entry);
  if (entry === allAppsOf(environment) && environment !== mainEnvironment) {
    checkEnvironment(environment);
    return entry;
  }
  return checkName("app", entry);
}
