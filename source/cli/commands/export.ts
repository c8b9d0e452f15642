// modelctl export: writes a model with all its files to one file or a pipe.
import { stat } from "node:fs/promises";
import path from "node:path";
import { exitCodes } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import { openLibrary } from "../model-library.ts";
import { writeWhole } from "../output.ts";
import type { CommandFlags, Run } from "../program/definition.ts";
import { withProgress } from "../with-progress.ts";
import type { exportDefinition } from "./models.definition.ts";

export const exportCommand: Run<typeof exportDefinition> = async ([name, file], flags) => {
  const { library } = openLibrary(flags);
  if (file === "-") {
    refuseToMix(flags);
    await withProgress(flags, (work) =>
      writeWhole(`the archive of '${name}'`, (output) => library.export(name, output, work)),
    );
    return exitCodes.ok;
  }
  const target = path.resolve(file);
  await withProgress(flags, (work) => library.export(name, target, work));
  const { size } = await stat(target);
  if (flags.json) process.stdout.write(`${JSON.stringify({ name, file: target, size })}\n`);
  else process.stdout.write(`exported '${name}' to ${target}\n`);
  return exitCodes.ok;
};

/** Standard output takes the archive, and nothing else. */
function refuseToMix(flags: CommandFlags<typeof exportDefinition>): void {
  const example = "modelctl export MODEL - | ssh HOST modelctl import -";
  if (flags.json)
    throw usageError("--json cannot be used with standard output as the archive.", example);
  if (process.stdout.isTTY)
    throw usageError("Refusing to write an archive to a terminal.", example);
}
