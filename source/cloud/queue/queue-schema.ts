// Schema of queue.db, as migration steps. A released step never changes.
import type { Migration } from "../state/migrations.ts";

const requests = `
CREATE TABLE requests (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organisation TEXT NOT NULL, app TEXT NOT NULL,
  caller TEXT NOT NULL,
  submission TEXT NOT NULL,
  idempotency_key TEXT,
  digest TEXT NOT NULL,
  priority INTEGER NOT NULL,
  state TEXT NOT NULL,
  gateway TEXT,
  attempts INTEGER NOT NULL,
  not_before INTEGER NOT NULL, start_by INTEGER NOT NULL,
  replica TEXT, revision TEXT,
  submitted_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, expires_at INTEGER,
  status INTEGER, error_type TEXT, error TEXT, result_headers TEXT,
  request_bytes INTEGER NOT NULL, result_bytes INTEGER NOT NULL,
  webhook TEXT, webhook_state TEXT, webhook_attempts INTEGER NOT NULL, webhook_at INTEGER,
  webhook_fault TEXT
) STRICT;
CREATE INDEX requests_open ON requests (organisation, app, priority, seq, state, submitted_at)
  WHERE state <> 'done';
CREATE INDEX requests_starting ON requests (start_by) WHERE state = 'waiting';
CREATE INDEX requests_expiring ON requests (expires_at) WHERE state = 'done';
CREATE INDEX requests_to_tell ON requests (webhook_at) WHERE webhook_state = 'pending';
CREATE UNIQUE INDEX requests_repeated ON requests (organisation, app, caller, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE TABLE bodies (
  id TEXT NOT NULL, kind TEXT NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (id, kind),
  FOREIGN KEY (id) REFERENCES requests (id) ON DELETE CASCADE
) STRICT;
`;

/** Steps, oldest first. Bodies have their own table, so that a change of state does not write them again. */
export const queueMigrations: readonly Migration[] = [{ name: "requests", sql: requests }];
