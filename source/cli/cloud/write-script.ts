// Writes a script that was made for somebody, over none that is there unless that is wanted.
import { writeFileSync } from "node:fs";
import { usageError } from "../errors.ts";

/** @throws ProductError `COMMAND_USAGE` */
export function writeScript(file: string, text: string, isForced: boolean): void {
  try {
    writeFileSync(file, text, { flag: isForced ? "w" : "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") {
      throw usageError(
        `${file} is there already.`,
        "Name another file, or let it be replaced (--force).",
      );
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`${file} cannot be written: ${reason}.`, "Name another file.");
  }
}
