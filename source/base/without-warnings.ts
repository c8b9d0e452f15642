// Uses Node's experimental features without their warnings, which users cannot act on.

/** Suppresses warnings until `work` returns, not those of its asynchronous parts. */
export function withoutWarnings<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Node's SQLite, which Node 22 calls experimental. */
export function sqlite(): typeof import("node:sqlite") {
  return withoutWarnings(() => process.getBuiltinModule("node:sqlite"));
}
