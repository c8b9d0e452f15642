// Consent to running a script that the system cannot confine.
import { isYes } from "../confirm.ts";

/** @param isGiven `--yes-run`; otherwise a terminal is asked, and where there is none, it is no */
export async function mayRunScript(sentence: string, isGiven: boolean): Promise<boolean> {
  return isGiven || (await isYes(`${sentence} Run it? [y/N] `));
}
