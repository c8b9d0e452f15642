// Escape sequences that Ink lacks, written past it.

/**
 * Copies a text into the terminal's clipboard (xterm's OSC 52), which also works over ssh.
 *
 * @param encoded the text's UTF-8 as base64
 */
export function copySequence(encoded: string): string {
  return `\u001b]52;c;${encoded}\u0007`;
}

/**
 * Moves the cursor to the last row (CSI CUP), from where Ink erases upwards: another program may have
 * moved it.
 */
export const cursorToBottom = "\u001b[9999;1H";

/** Moves the cursor up (CSI CUU) and erases everything from there on (CSI ED). */
export function eraseFromAbove(rows: number): string {
  return `\u001b[${rows}A\u001b[J`;
}

/** Moves the cursor to the first column and erases the row from there on (CSI EL). */
export const eraseLine = "\r\u001b[K";
