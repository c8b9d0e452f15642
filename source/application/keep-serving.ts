// What an unhandled rejection does to a process that serves others: it costs the request that it belongs to,
// and no other. Node would end the process.

/**
 * Writes rejections that nobody handles to the log, with their stack, and lets the process go on.
 * Exceptions outside of promises still end it: they leave the work of others half done.
 *
 * @param logFile named on standard error when the process exits, for a program whose user does not see the log
 * @returns a function that lets rejections end the process again
 */
export function keepServing(log: (text: string) => void, logFile?: string): () => void {
  let isTold = logFile === undefined;
  const note = (reason: unknown) => {
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    log(`internal error, which other requests survive; please report it: ${text}`);
    if (isTold) return;
    isTold = true;
    const sentence = `An internal error is recorded in ${logFile}; please report it.\n`;
    process.once("exit", () => process.stderr.write(sentence));
  };
  process.on("unhandledRejection", note);
  return () => void process.off("unhandledRejection", note);
}
