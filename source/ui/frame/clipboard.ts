// Copies a text: through the terminal, which also works over ssh, and into the local clipboard.

import { copySequence } from "./terminal-sequences.ts";

/** Limit of many terminals for one sequence. */
const terminalLimitBytes = 74_994;

export interface CopyOptions {
  readonly write: (bytes: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Defaults to the machine's own. */
  readonly local?: { write(text: string): Promise<void> };
}

/** @returns a sentence with the outcome */
export async function copyText(text: string, options: CopyOptions): Promise<string> {
  const { write, environment } = options;
  if (text === "") return "Nothing to copy";
  const encoded = Buffer.from(text, "utf8").toString("base64");
  const fitsTerminal = encoded.length <= terminalLimitBytes;
  // The terminal, not the machine that the program runs on, has the clipboard.
  if (fitsTerminal) write(copySequence(encoded));
  const count = Array.from(text).length;
  const what = `${count} ${count === 1 ? "character" : "characters"}`;
  const isRemote = Boolean(environment.SSH_CONNECTION || environment.SSH_TTY);
  const isCopied = !isRemote && (await isCopiedHere(text, options.local));
  // Terminals do not confirm a copy.
  if (isCopied || fitsTerminal) return `Copied ${what}`;
  return `Cannot copy ${what}: too many for the terminal's clipboard`;
}

/** A missing clipboard, as on a machine without a desktop, is not an error. */
async function isCopiedHere(text: string, local: CopyOptions["local"]): Promise<boolean> {
  try {
    // Imported when it is needed: it takes as long as all screens together.
    const clipboard = local ?? (await import("clipboardy")).default;
    await clipboard.write(text);
    return true;
  } catch {
    return false;
  }
}
