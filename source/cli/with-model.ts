// Pulls a missing model for a command, or suggests a similar name.
import type { ModelLibrary, ModelName, Work } from "../application/models/model-library.ts";
import { shownModel } from "../base/display-text.ts";
import { type ApiClient, ServerRefusal } from "../client/api-client.ts";
import type { Flags } from "./flags.ts";

/** The server's error code for an unknown model. */
const missingCode = "STORE_MODEL_NOT_FOUND";

/**
 * Does work that needs a model; if the model does not exist, pulls it and does the work again.
 *
 * @throws errors of `work` and of the pull
 */
export async function withModel<T>(
  model: string,
  flags: Flags,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await bringModel(model, flags, error);
  }
  try {
    return await work();
  } catch (error) {
    // The model exists now, so the server uses another store; with --connect, that is unknown.
    throw isMissing(error) && flags.connect === undefined ? inOtherStore(model, error) : error;
  }
}

function isMissing(error: unknown): error is ServerRefusal {
  return error instanceof ServerRefusal && error.code === missingCode;
}

/** Pulls the model. Imports on use, as most models exist. */
async function bringModel(model: string, flags: Flags, missing: ServerRefusal): Promise<void> {
  const { openLibrary } = await import("./model-library.ts");
  const { library, settings } = openLibrary(flags);
  const parsed = library.catalog.parse(model);
  if (parsed.kind !== "name" || !parsed.name.isHub) {
    // Only models of this machine are known.
    const nearest = flags.connect === undefined ? await library.nearestModel(model) : undefined;
    throw nearest === undefined ? missing : meant(model, nearest, missing);
  }
  if (flags.connect === undefined && (await isHere(library, parsed.name))) return;
  const { partialDownloadKept, withProgress } = await import("./with-progress.ts");
  const { findNamedServer } = await import("./running-server.ts");
  const { name } = parsed;
  const bring = async (work: Work) => {
    const server = flags.connect === undefined ? undefined : await findNamedServer(flags, settings);
    if (server === undefined) await library.pull(name, work);
    else await pullThere(server, model, work);
  };
  await withProgress(flags, bring, partialDownloadKept);
}

async function pullThere(server: ApiClient, model: string, work: Work): Promise<void> {
  const { pullOnServer } = await import("../client/model-calls.ts");
  await pullOnServer(server, model, {
    ...work,
    onProgress: ({ overallTotal, overallCompleted, ...record }) =>
      work.onProgress({
        ...record,
        ...(overallTotal !== undefined && { overall_total: overallTotal }),
        ...(overallCompleted !== undefined && { overall_completed: overallCompleted }),
      }),
  });
}

async function isHere({ catalog }: ModelLibrary, name: ModelName): Promise<boolean> {
  const found = await catalog.find(name).catch(() => undefined); // a pull repairs a damaged one
  return found !== undefined;
}

function meant(model: string, nearest: string, missing: ServerRefusal): ServerRefusal {
  const isIt = nearest.toLowerCase() === shownModel(model).toLowerCase();
  if (isIt) return inOtherStore(model, missing);
  const sentence = `model '${model}' not found. Did you mean ${nearest}? Run modelctl list to see all models.`;
  return new ServerRefusal(missing.status, missing.code, sentence);
}

function inOtherStore(model: string, missing: ServerRefusal): ServerRefusal {
  const sentence = `model '${model}' not found by the running server, which uses another store. Restart it with the settings from modelctl config show, or choose another server with MODELCTL_HOST.`;
  return new ServerRefusal(missing.status, missing.code, sentence);
}
