// deployctl init: writes a script that serves a modelctl model.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { deployScript } from "../../../application/deploying/deploy-script.ts";
import { describeError } from "../../../base/product-error.ts";
import { systemCode } from "../../../base/write-refusal.ts";
import { usageError } from "../../errors.ts";
import type { Run } from "../../program/definition.ts";
import { printAnswer } from "../print.ts";
import type { scriptCommands } from "./scripts.definition.ts";

const usualFile = "deploy.py";

export const init: Run<typeof scriptCommands.init> = async (_words, flags) => {
  if (flags.model === undefined) {
    throw usageError("init needs a model.", "For example: deployctl init --model tiny");
  }
  const file = flags.file ?? usualFile;
  const { text, appName } = deployScript(flags.model, path.basename(file));
  writeScript(file, text, flags.force === true);
  const next = `deployctl deploy ${file} --app-name ${appName}`;
  printAnswer(flags, {
    document: { file: path.resolve(file), model: flags.model, next },
    text: `wrote ${file}\n\n  ${next}\n`,
    names: [file],
  });
};

/** Writes a script; replaces a file only if forced. @throws ProductError `COMMAND_USAGE` */
export function writeScript(file: string, text: string, isForced: boolean): void {
  try {
    writeFileSync(file, text, { flag: isForced ? "w" : "wx" });
  } catch (error) {
    if (systemCode(error) === "EEXIST") {
      throw usageError(
        `${file} already exists.`,
        "Choose another file, or replace it with --force.",
      );
    }
    throw usageError(`${file} cannot be written: ${describeError(error)}.`, "Choose another file.");
  }
}
