// modelctl cp: copies a model to a second name.
import { confirmReplacing } from "../confirm.ts";
import { openLibrary, parseName } from "../model-library.ts";
import type { Run } from "../program/definition.ts";
import type { modelCommands } from "./models.definition.ts";

export const cp: Run<typeof modelCommands.cp> = async ([source, destination], flags) => {
  const { library } = openLibrary(flags);
  const name = parseName(library, destination);
  if (await library.has(name)) await confirmReplacing(name.display, flags.force);
  await library.copy(source, name);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ source, name: name.display })}\n`
      : `copied '${source}' to '${destination}'\n`,
  );
};
