// Writes a generated script; overwrites a file only on request.
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
        `${file} already exists.`,
        "Choose another file, or replace it with --force.",
      );
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`${file} cannot be written: ${reason}.`, "Choose another file.");
  }
}
