// modelctl export: writes a model with all its files to one file or a pipe.
import { stat } from "node:fs/promises";
import path from "node:path";
import { usageError } from "../errors.ts";
import { openLibrary } from "../model-library.ts";
import { writeWhole } from "../output.ts";
import type { CommandFlags, Run } from "../program/definition.ts";
import { withProgress } from "../with-progress.ts";
import type { modelCommands } from "./models.definition.ts";

export const exportModel: Run<typeof modelCommands.exportModel> = async ([name, file], flags) => {
  const { library } = openLibrary(flags);
  if (file === "-") {
    refuseToMix(flags);
    return await withProgress(flags, (work) =>
      writeWhole(`the archive of '${name}'`, (output) => library.export(name, output, work)),
    );
  }
  const target = path.resolve(file);
  await withProgress(flags, (work) => library.export(name, target, work));
  const { size } = await stat(target);
  if (flags.json) process.stdout.write(`${JSON.stringify({ name, file: target, size })}\n`);
  else process.stdout.write(`exported '${name}' to ${target}\n`);
};

/** Standard output takes the archive, and nothing else. */
function refuseToMix(flags: CommandFlags<typeof modelCommands.exportModel>): void {
  const example = "modelctl export MODEL - | ssh HOST modelctl import -";
  if (flags.json)
    throw usageError("--json cannot be used with standard output as the archive.", example);
  if (process.stdout.isTTY)
    throw usageError("Refusing to write an archive to a terminal.", example);
}
