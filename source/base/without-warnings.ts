// Keeps Node and libraries from announcing experiments on standard error, where nobody can act on it.

/** Only for what happens before `work` returns. */
export function withoutWarnings<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
