// Table of keys in state.db.

export const keyTable = `
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
