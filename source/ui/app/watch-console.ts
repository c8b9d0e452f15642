// Notices when something is printed past the screen.

const printingMethods = ["log", "info", "debug", "warn", "error", "trace", "dir", "table"] as const;

/**
 * Calls `onPrinted` after everything that is printed through the console.
 * @returns ends it
 */
export function watchConsole(onPrinted: () => void): () => void {
  const originals = printingMethods.map((name) => [name, console[name]] as const);
  for (const [name, print] of originals) {
    console[name] = (...values: unknown[]) => {
      print(...values);
      onPrinted();
    };
  }
  return () => {
    for (const [name, print] of originals) console[name] = print;
  };
}
