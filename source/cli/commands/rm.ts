// modelctl rm: removes models, one after the other.

import type { ModelLibrary } from "../../application/model-library.ts";
import { appsUsing } from "../../application/model-users.ts";
import { shownModel } from "../../base/model-tag.ts";
import { exitCodes, ProductError } from "../../base/product-error.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { loadedModels } from "../../client/model-calls.ts";
import { isYes } from "../confirm.ts";
import { commandErrors } from "../errors.ts";
import { openLibrary } from "../model-library.ts";
import type { Run } from "../program/definition.ts";
import { findRunningServer } from "../running-server.ts";
import type { rmDefinition } from "./rm.definition.ts";

export const rm: Run<typeof rmDefinition> = async (names, flags) => {
  const { library, settings } = openLibrary(flags);
  const server = await findRunningServer(flags, settings);
  for (const name of names) {
    await confirmUnused(library, name, flags.force);
    // Unloading needs the name, so it comes first; removing reports unknown models.
    if (server !== undefined) await unload(server, displayOf(library, name)).catch(() => {});
    const { display } = await library.remove(name);
    // One line each, at once: removed models are reported even if a later one fails.
    const line = flags.json
      ? JSON.stringify({ name: display })
      : `deleted '${shownModel(display)}'`;
    process.stdout.write(`${line}\n`);
  }
  return exitCodes.ok;
};

/** @throws ProductError `COMMAND_MODEL_IN_USE` without --force or a yes on a terminal */
async function confirmUnused(library: ModelLibrary, name: string, isForced = false): Promise<void> {
  if (isForced) return;
  const display = displayOf(library, name);
  const users = await appsUsing((used) => displayOf(library, used) === display);
  if (users.length === 0) return;
  const apps = users.join(", ");
  const model = shownModel(display);
  if (await isYes(`'${model}' is served by ${apps}. Remove it? [y/N] `)) return;
  throw new ProductError(commandErrors.modelInUse, {
    message: `The model '${model}' is served by ${apps}, whose next replica cannot start without it.`,
    hint: "Use --force to remove it anyway.",
  });
}

/** With its tag; a path is no name of a model, as removing it tells. */
function displayOf({ catalog }: ModelLibrary, name: string): string {
  const parsed = catalog.parse(name);
  return parsed.kind === "name" ? parsed.name.display : name;
}

/** A loaded model whose files other models share stays loaded for their users. */
async function unload(server: ApiClient, name: string): Promise<void> {
  const isIt = (other: string) => other.toLowerCase() === name.toLowerCase();
  const loaded = (await loadedModels(server)).find(({ names }) => names.some(isIt));
  if (loaded?.names.every(isIt)) await server.unload(name);
}
