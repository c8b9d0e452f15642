// modelctl rm: removes models.

import path from "node:path";
import { adminSocket, isUnreachable } from "../../application/cloud-host/cloud-server.ts";
import type { ModelLibrary } from "../../application/models/model-library.ts";
import { shownModel } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { loadedModels } from "../../client/model-calls.ts";
import { AdminClient } from "../../cloud/admin/admin-client.ts";
import { cloudPaths } from "../../configuration/paths.ts";
import { isYes } from "../confirm.ts";
import { commandErrors } from "../errors.ts";
import { openLibrary } from "../model-library.ts";
import type { Run } from "../program/definition.ts";
import { findRunningServer } from "../running-server.ts";
import type { modelCommands } from "./models.definition.ts";

export const rm: Run<typeof modelCommands.rm> = async (names, flags) => {
  const { library, settings } = openLibrary(flags);
  const server = await findRunningServer(flags, settings);
  for (const name of names) {
    await confirmUnused(library, name, flags.force);
    // Unloads first, which needs the name; removing reports unknown models.
    if (server !== undefined) await unload(server, displayOf(library, name)).catch(() => {});
    const { display } = await library.remove(name);
    // Reported at once, as a later one may fail.
    const line = flags.json
      ? JSON.stringify({ name: display })
      : `deleted '${shownModel(display)}'`;
    process.stdout.write(`${line}\n`);
  }
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

/** Returns the name with its tag; removing reports paths. */
function displayOf({ catalog }: ModelLibrary, name: string): string {
  const parsed = catalog.parse(name);
  return parsed.kind === "name" ? parsed.name.display : name;
}

/** Unloads a model, unless loaded weights are shared with other models. */
async function unload(server: ApiClient, name: string): Promise<void> {
  const isIt = (other: string) => other.toLowerCase() === name.toLowerCase();
  const loaded = (await loadedModels(server)).find(({ names }) => names.some(isIt));
  if (loaded?.names.every(isIt)) await server.unload(name);
}

/**
 * Returns the apps that serve a model, as `organisation/app`; none if no server runs.
 *
 * @param isIt true for a name of the model
 */
async function appsUsing(isIt: (model: string) => boolean): Promise<string[]> {
  const stateFolder = path.resolve(process.env.DEPLOYCTL_STATE_DIR || cloudPaths().stateFolder);
  const client = new AdminClient({ socketPath: adminSocket(stateFolder) });
  try {
    const apps = await client.apps();
    const details = await Promise.all(
      apps.map(({ organisation, app }) => client.app(`${organisation}/${app}`)),
    );
    return details.flatMap(({ organisation, app, revision }) => {
      const model = revision?.config.model;
      return model !== undefined && isIt(model) ? [`${organisation}/${app}`] : [];
    });
  } catch (error) {
    if (isUnreachable(error)) return [];
    throw error;
  }
}
