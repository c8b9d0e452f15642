// Table of usage in state.db.

/** `figures` is a document, so that new counts need no new schema. */
export const usageTable = `
CREATE TABLE usage (
  organisation TEXT NOT NULL, app TEXT NOT NULL, hour INTEGER NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (organisation, app, hour)
) STRICT;
`;
