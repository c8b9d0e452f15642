// Suppresses experimental warnings of Node and libraries, which users cannot act on.

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
