// SQLite as it comes with Node.

/** Node 22 announces on standard error that SQLite is an experiment; nobody can act on that. */
export function sqlite(): typeof import("node:sqlite") {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
