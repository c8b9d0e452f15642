// The table of usage in state.db.

/** `figures` is a document: what is counted may grow without a new schema. */
export const usageTable = `
CREATE TABLE usage (
  organisation TEXT NOT NULL, app TEXT NOT NULL, hour INTEGER NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (organisation, app, hour)
) STRICT;
`;
