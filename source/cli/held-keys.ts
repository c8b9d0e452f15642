// Keyboard input between the start of the program and the first frame of its screen.

/**
 * Keeps what is typed for the screen that is about to open: the terminal neither echoes it, which would
 * stain the screen, nor takes its Enter as the end of a line. Nothing is read; Node gives the terminal
 * back however the program ends, and the screen when it closes.
 */
export function holdKeys(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) process.stdin.setRawMode(true);
}
