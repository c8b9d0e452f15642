// Brings a model of the hub into the store, under the name that asked for it.
import { ProductError } from "../base/product-error.ts";
import { storeErrors } from "./errors.ts";
import { type FetchedFile, fetchModel, type HubRequest } from "./hub/fetch-model.ts";
import { createModel } from "./library/create-model.ts";
import type { ProgressRecord } from "./library/layer-maker.ts";
import type { ModelStore } from "./library/model-store.ts";
import { nothingDefined } from "./model-definition.ts";
import { defaultTag, type ModelName } from "./model-reference.ts";

export interface PullOptions extends Omit<HubRequest, "onProgress"> {
  onProgress?: (progress: ProgressRecord) => void;
}

/**
 * Fetches what is missing of the model's files, all of them or none, and writes the manifest; nobody
 * removes what was fetched meanwhile. A model that is there already is brought up to date.
 *
 * @throws ProductError `STORE_HUB_...`, `STORE_NO_REGISTRY` for a name that is not of the hub
 */
export async function pullModel(
  store: ModelStore,
  name: ModelName,
  { onProgress = () => {}, ...request }: PullOptions,
): Promise<void> {
  // What Ollama says before it knows whether there is such a model.
  onProgress({ status: "pulling manifest" });
  refuseOtherRegistries(name);
  await store.whileWriting(async () => {
    const { files } = await fetchModel(
      {
        owner: name.namespace,
        repo: name.model,
        ...(name.tag.toLowerCase() !== defaultTag && { selector: name.tag }),
      },
      {
        ...request,
        blobs: store,
        onProgress: ({ state, file, detail, totalBytes, completedBytes }) => {
          if (detail !== undefined) onProgress({ status: detail });
          if (file === undefined || state === "done") return;
          const digest = file.sha256 === undefined ? undefined : `sha256:${file.sha256}`;
          const label = file.sha256?.slice(0, 12) ?? file.path;
          const status = state === "verifying" ? "verifying sha256 digest" : `pulling ${label}`;
          onProgress({
            status,
            ...(digest !== undefined && { digest }),
            total: file.sizeBytes,
            completed: file.completedBytes,
            overall_total: totalBytes,
            overall_completed: completedBytes,
          });
        },
      },
    );
    const from = files.map(({ blobPath }) => blobPath);
    await createModel(store, name, nothingDefined({ from }), {
      baseFolder: store.path,
      resolveName: async () => {
        throw new Error("files have no names to resolve");
      },
      onProgress: (progress) => {
        // Parsing is done in a moment, and the layers were told of while they came.
        if (progress.status === "writing manifest") onProgress(progress);
      },
      ...(request.signal !== undefined && { signal: request.signal }),
    }).catch(async (error: unknown) => {
      throw await inWordsOfHub(error, files, name, store);
    });
  }, request.signal);
  onProgress({ status: "success" });
}

/** A file of the hub that is no model is spoken of by the name that it has there, and not kept. */
async function inWordsOfHub(
  error: unknown,
  files: readonly FetchedFile[],
  { namespace, model }: ModelName,
  store: ModelStore,
): Promise<unknown> {
  if (!(error instanceof ProductError)) return error;
  const useless = files.find(({ blobPath }) => error.message.includes(blobPath));
  if (useless === undefined) return error;
  await store.removeUnused([useless.digest]);
  return error.reworded({
    message: error.message.replaceAll(useless.blobPath, `${useless.path} of ${namespace}/${model}`),
    hint: "It was deleted. Choose another file of the repository, or another repository.",
  });
}

function refuseOtherRegistries(name: ModelName): void {
  if (name.isHub) return;
  throw new ProductError(storeErrors.noRegistry, {
    message: `pull model manifest: file does not exist: '${name.display}' names no model of the hub, and only those can be pulled.`,
    hint: "Name a repository, such as hf.co/OWNER/REPO:Q4_K_M; or see modelctl list.",
    param: "model",
  });
}
