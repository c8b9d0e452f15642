// modelctl import: imports models that export wrote, from a file or a pipe.
import path from "node:path";
import type { ModelName } from "../../application/models/model-library.ts";
import { confirmReplacing, nameTaken } from "../confirm.ts";
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
  const isPipe = file === "-";
  const archive = path.resolve(file);
  // Asked before gigabytes are read; names in a pipe are known only at its end.
  const known = name !== undefined ? [name] : isPipe ? [] : await library.modelsInArchive(archive);
  for (const one of known) {
    if (await library.has(one)) await confirmReplacing(one.display, flags.force);
  }
  const refuse = ({ display }: ModelName) => {
    throw nameTaken(display);
  };
  const mayReplace = flags.force === true || known.length > 0;
  const names = await withProgress(flags, (work) =>
    library.import(isPipe ? process.stdin : archive, name, work, mayReplace ? undefined : refuse),
  );
  const shown = names.map(({ display }) => display);
  if (flags.json) process.stdout.write(`${JSON.stringify({ names: shown })}\n`);
  else for (const display of shown) process.stdout.write(`imported '${display}'\n`);
};
