// Imported early: without a command the program opens its screen, which gets the keys typed until then.

const otherwise = new Set(["--help", "-h", "--version", "-v", "--plain", "--json", "--"]);
const words = process.argv.slice(2);
const opensScreen = words.every((word) => word.startsWith("-") && !otherwise.has(word));

if (opensScreen && process.env.TERM !== "dumb") holdKeys();

/**
 * Keeps typed keys for the screen that is about to open: the terminal neither echoes them nor handles
 * Enter. Nothing is read; Node restores the terminal when the program ends, and the screen when it
 * closes.
 */
export function holdKeys(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) process.stdin.setRawMode(true);
}
