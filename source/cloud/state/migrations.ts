// Schema of state.db, as migration steps. A released step never changes; changes come as further
// steps.

export interface Migration {
  /** Shown in the error when the step fails. */
  name: string;
  sql: string;
}

const controlPlane = `
CREATE TABLE apps (
  organisation TEXT NOT NULL, app TEXT NOT NULL,
  desired TEXT NOT NULL,
  active_revision TEXT,
  rollout TEXT,
  overrides TEXT NOT NULL,
  is_ephemeral INTEGER NOT NULL,
  last_number INTEGER NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER,
  PRIMARY KEY (organisation, app)
) STRICT;
CREATE TABLE revisions (
  organisation TEXT NOT NULL, app TEXT NOT NULL, revision TEXT NOT NULL,
  number INTEGER NOT NULL,
  state TEXT NOT NULL, reason TEXT, failure_code TEXT,
  content_hash TEXT NOT NULL, bundle TEXT NOT NULL,
  script TEXT NOT NULL, target TEXT NOT NULL,
  config TEXT NOT NULL, inspection TEXT NOT NULL,
  message TEXT, annotations TEXT NOT NULL, created_by TEXT,
  created_at INTEGER NOT NULL, activated_at INTEGER,
  is_pinned INTEGER NOT NULL,
  failures INTEGER NOT NULL, not_before INTEGER NOT NULL,
  PRIMARY KEY (organisation, app, revision),
  FOREIGN KEY (organisation, app) REFERENCES apps ON DELETE CASCADE
) STRICT;
CREATE TABLE replicas (
  replica TEXT PRIMARY KEY,
  organisation TEXT NOT NULL, app TEXT NOT NULL, revision TEXT NOT NULL,
  purpose TEXT NOT NULL, stage TEXT NOT NULL,
  created_at INTEGER NOT NULL, ready_at INTEGER, ended_at INTEGER,
  exit TEXT,
  FOREIGN KEY (organisation, app, revision) REFERENCES revisions ON DELETE CASCADE
) STRICT;
CREATE INDEX replicas_by_revision ON replicas (organisation, app, revision);
CREATE TABLE reservations (
  kind TEXT NOT NULL, value TEXT NOT NULL, replica TEXT NOT NULL, share REAL NOT NULL,
  PRIMARY KEY (kind, value, replica)
) STRICT;
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  organisation TEXT NOT NULL, app TEXT NOT NULL, revision TEXT, replica TEXT,
  kind TEXT NOT NULL, sentence TEXT NOT NULL
) STRICT;
CREATE TABLE secrets (
  organisation TEXT NOT NULL, app TEXT NOT NULL, revision TEXT NOT NULL,
  kind TEXT NOT NULL, name TEXT NOT NULL,
  sealed BLOB NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY (organisation, app, revision, kind, name)
) STRICT;
`;

const keys = `
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  organisation TEXT NOT NULL,
  digest BLOB NOT NULL,
  scope TEXT NOT NULL,
  apps TEXT NOT NULL,
  description TEXT NOT NULL,
  requests_per_minute INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  used_at INTEGER,
  revoked_at INTEGER,
  replaced_by TEXT
) STRICT;
`;

/** `figures` is a document, so that new counts need no new schema. */
const usage = `
CREATE TABLE usage (
  organisation TEXT NOT NULL, app TEXT NOT NULL, hour INTEGER NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (organisation, app, hour)
) STRICT;
`;

/** Document of what a verified server answered; NULL: known from the script only. */
const servedApi = `
ALTER TABLE revisions ADD COLUMN api TEXT;
`;

/** Document of a split between two revisions; NULL: the active one gets all traffic. */
const trafficSplit = `
ALTER TABLE apps ADD COLUMN traffic TEXT;
`;

/** `main` has no row: it always exists. */
const environments = `
CREATE TABLE environments (
  organisation TEXT NOT NULL, name TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (organisation, name)
) STRICT;
`;

/** Steps, oldest first; `user_version` counts those applied to a file. */
export const migrations: readonly Migration[] = [
  { name: "control plane", sql: controlPlane },
  { name: "keys", sql: keys },
  { name: "usage", sql: usage },
  { name: "served API", sql: servedApi },
  { name: "traffic split", sql: trafficSplit },
  { name: "environments", sql: environments },
];
