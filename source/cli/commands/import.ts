// modelctl import: imports models that export wrote, from a file or a pipe.
import path from "node:path";
import type { ModelName } from "../../application/models/model-library.ts";
import { confirmReplacing } from "../confirm.ts";
import { usageError } from "../errors.ts";
import { openLibrary, parseName } from "../model-library.ts";
import type { Run } from "../program/definition.ts";
import { withProgress } from "../with-progress.ts";
import type { modelCommands } from "./models.definition.ts";

export const importModels: Run<typeof modelCommands.importModels> = async ([file], flags) => {
  const { library } = openLibrary(flags);
  const name = flags.as === undefined ? undefined : parseName(library, flags.as);
  if (file === "-" && process.stdin.isTTY) {
    throw usageError(
      "import - reads standard input, which is a terminal.",
      "For example: modelctl import FILE",
    );
  }
  const source = file === "-" ? process.stdin : path.resolve(file);
  // Asked before gigabytes are read; names in the archive are known only afterwards.
  if (name !== undefined && (await library.has(name)))
    await confirmReplacing(name.display, flags.force);
  let taken: string | undefined;
  const refuse = ({ display }: ModelName) => {
    taken = display;
    throw new Error(`${display} exists`);
  };
  const importing = (replaces: boolean) =>
    withProgress(flags, (work) =>
      library.import(source, name, work, replaces ? undefined : refuse),
    );
  const names = await importing(flags.force === true || name !== undefined).catch(async (error) => {
    if (taken === undefined) throw error;
    await confirmReplacing(taken);
    return await importing(true);
  });
  const shown = names.map(({ display }) => display);
  if (flags.json) process.stdout.write(`${JSON.stringify({ names: shown })}\n`);
  else for (const display of shown) process.stdout.write(`imported '${display}'\n`);
};
