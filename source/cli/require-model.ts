// Makes sure that the server has a command's model: pulls it from the hub, or suggests a similar name.
import type { ModelLibrary, ModelName } from "../application/models/model-library.ts";
import { shownModel } from "../base/display-text.ts";
import { nearestName } from "../base/nearest-name.ts";
import { type ApiClient, ServerRefusal } from "../client/api-client.ts";
import type { Flags } from "./flags.ts";

/** The server's error code for an unknown model. */
const missingCode = "STORE_MODEL_NOT_FOUND";

/**
 * Shows the progress of a pull on standard error. Imports on use, as most models exist.
 *
 * @throws ServerRefusal for an unknown model that is not on the hub; errors of the pull
 */
export async function requireModel(client: ApiClient, model: string, flags: Flags): Promise<void> {
  const missing = await missingFrom(client, model);
  if (missing === undefined) return;
  const { openLibrary } = await import("./model-library.ts");
  const { catalog } = openLibrary(flags).library;
  const parsed = catalog.parse(model);
  if (parsed.kind !== "name") throw missing;
  // A named server may be on another machine.
  if (flags.connect === undefined && (await isHere(catalog, parsed.name))) {
    throw inOtherStore(model, missing);
  }
  if (!parsed.name.isHub) throw await withNearest(client, model, missing);
  const { pullOnServer } = await import("../client/model-calls.ts");
  const { partialDownloadKept, withProgress } = await import("./with-progress.ts");
  await withProgress(flags, (work) => pullOnServer(client, model, work), partialDownloadKept);
}

/** Other problems of a model are reported by the request that uses it. */
async function missingFrom(client: ApiClient, model: string): Promise<ServerRefusal | undefined> {
  try {
    await client.getJson(`/v1/models/${encodeURIComponent(model)}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServerRefusal)) throw error;
    return error.code === missingCode ? error : undefined;
  }
}

async function isHere(catalog: ModelLibrary["catalog"], name: ModelName): Promise<boolean> {
  const found = await catalog.find(name).catch(() => undefined); // a pull repairs a damaged one
  return found !== undefined;
}

function inOtherStore(model: string, missing: ServerRefusal): ServerRefusal {
  const sentence = `model '${model}' not found by the running server, which uses another store. Restart it with the settings from modelctl config show, or choose another server with MODELCTL_HOST.`;
  return new ServerRefusal(missing.status, missing.code, sentence);
}

async function withNearest(
  client: ApiClient,
  model: string,
  missing: ServerRefusal,
): Promise<ServerRefusal> {
  const { listModels } = await import("../client/models-store.ts");
  const names = (await listModels(client)).map(({ name }) => name);
  const nearest = nearestName(shownModel(model), names);
  if (nearest === undefined) return missing;
  const sentence = `model '${model}' not found. Did you mean ${nearest}? Run modelctl list to see all models.`;
  return new ServerRefusal(missing.status, missing.code, sentence);
}
