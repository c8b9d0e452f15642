// Consent to running a script that the system cannot confine.
import { isYes } from "../confirm.ts";

/** @param isGiven `--yes-run`; otherwise a terminal asks, and without one the answer is no */
export async function mayRunScript(sentence: string, isGiven: boolean): Promise<boolean> {
  return isGiven || (await isYes(`${sentence} Run it? [y/N] `));
}
